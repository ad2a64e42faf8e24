// The archive of this browser: executed jobs that have left the service, found by any word of their logs.
import { useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { archiveQueries } from '#/features/job-archive/archive-queries.ts';
import { useAccount } from '#/features/job-archive/use-account.ts';
import { jobsText } from '#/features/jobs/job-words.ts';
import { JobTabs } from '#/features/page-tabs/page-tabs.tsx';
import { paths } from '#/paths.ts';
import { formatBytes, formatCount } from '#/lib/format.ts';
import { Page } from '#/ui/page/page.tsx';
import { sortPart, type Sort } from '#/ui/table/sort.ts';
import { SelectedIds } from '#/ui/table/selected-ids.ts';
import { plainText, urlSchema } from '#/ui/url/url-schema.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { SearchField } from '#/ui/form/search-field.tsx';
import { useTyped } from '#/ui/url/use-typed.ts';
import { FilterBar } from '#/ui/table/filter-bar.tsx';
import { Empty, View, FormError } from '#/ui/page/view.tsx';
import { ARCHIVE_COLUMNS, archiveColumns, archivedName, sortArchive } from './archive-table.tsx';
import { DeleteArchivedDialog } from './delete-archived-dialog.tsx';
import { ImportButton } from './import-button.tsx';
import { useArchiveSearch } from './use-archive-search.ts';
import { useSelectedIds } from '#/ui/table/use-selected-ids.ts';
import { addToZip } from '#/features/job-archive/archive-zip.ts';
import { archiveStore, type StoredJob } from '#/features/job-archive/archive-store.ts';
import { ZipWriter } from '#/lib/zip-write.ts';
import { datedName, saveFile } from '#/lib/save-file.ts';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import { SelectionBar } from '#/ui/table/selection-bar.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';
import classes from './archive.module.css';

const archiveUrl = urlSchema({ find: plainText, sort: sortPart(ARCHIVE_COLUMNS) });
const selection = new SelectedIds();
const keyOf = ({ id }: StoredJob) => id;

/** The archived jobs that hold these words, sorted. */
function useFoundJobs(find: string, sort: Sort | undefined) {
  const account = useAccount();
  const archive = useQuery(archiveQueries.list(account));
  const search = useArchiveSearch(account, find, archive.dataUpdatedAt);
  const shown = useMemo(() => {
    const all = archive.data ?? [];
    return sortArchive(search ? all.filter(({ id }) => search.hits.has(id)) : all, sort);
  }, [archive.data, search, sort]);
  return { account, archive, search, shown };
}

export function ArchivePage() {
  const [{ find, sort }, url] = useUrlState(archiveUrl);
  const { account, archive, search, shown } = useFoundJobs(find, sort);
  const typed = useTyped(find, (words) => url.set({ find: words }));
  const selected = useSelectedIds(selection);
  const [deleting, setDeleting] = useState<string[]>();
  const picked = (archive.data ?? []).filter(({ id }) => selected.ids.has(id));
  const searching = search !== undefined && search.error === undefined && search.done !== search.total;
  return (
    <Page
      title="Archive"
      lead="Executed jobs that this browser keeps, with all they printed. Other browsers and people do not see them."
      actions={<ImportButton account={account} disabled={archive.error !== null} />}
    >
      <JobTabs />
      <View
        local
        query={archive}
        name="the archive"
        isEmpty={(rows) => rows.length === 0}
        empty={
          <Empty
            title="Nothing is archived in this browser"
            next={{ label: 'Choose jobs to archive', to: paths.jobs() }}
          >
            Archived jobs leave the queue of the service; their logs can still be searched here.
          </Empty>
        }
      >
        {(rows) => (
          <div className={classes.list}>
            <FilterBar label="Search the archive" className={classes.filters}>
              <SearchField label="Find in names, devices and logs" text={typed} />
              <span role="status" className="dim tabular">
                {search && `${formatCount(shown.length)} of `}
                {jobsText(rows.length)}
                {searching && `, ${formatCount(search.done)} searched`}
              </span>
              {searching && (
                <progress aria-label="Progress of the search" max={search.total ?? 1} value={search.done} />
              )}
            </FilterBar>
            {search?.error !== undefined && (
              <p role="alert" className={classes.trouble}>
                {search.error}
              </p>
            )}
            {shown.length === 0 ? (
              searching ? null : (
                <Empty
                  title="Nothing found"
                  next={{ label: 'Clear the search', variant: 'default', onClick: () => typed.send('') }}
                />
              )
            ) : (
              <VirtualTable
                name="Archived jobs"
                columns={archiveColumns(search?.hits)}
                rows={shown}
                rowKey={keyOf}
                sort={sort}
                onSort={(next) => url.set({ sort: next })}
                selection={{ ...selected, nameOf: archivedName }}
              />
            )}
            {picked.length > 0 && (
              <ArchiveBar account={account} jobs={picked} onDelete={() => setDeleting(picked.map(({ id }) => id))} />
            )}
            <StorageNote bytes={rows.reduce((sum, { bytes }) => sum + bytes, 0)} />
          </div>
        )}
      </View>
      {deleting && (
        <DeleteArchivedDialog
          account={account}
          ids={deleting}
          name={picked[0] ? archivedName(picked[0]) : ''}
          onClose={() => setDeleting(undefined)}
          onDeleted={() => {
            selection.remove(deleting);
            setDeleting(undefined);
          }}
        />
      )}
    </Page>
  );
}

/** Over plain http a browser gives no figures. */
async function readStorage() {
  const { storage } = navigator as { storage?: StorageManager };
  if (!storage?.estimate) return null;
  const [{ usage, quota }, persisted] = await Promise.all([storage.estimate(), storage.persisted?.() ?? false]);
  return { usage, quota, persisted };
}

/** How much of the storage the archive takes, how much there is, and whether it may be cleared. */
function StorageNote({ bytes }: { bytes: number }) {
  const { data } = useQuery({ queryKey: ['archive', 'storage', bytes], queryFn: readStorage, retry: false });
  const free = data?.quota !== undefined && data.usage !== undefined ? data.quota - data.usage : undefined;
  return (
    <p className="dim">
      The archive takes {formatBytes(bytes)} here{free !== undefined && `, and ${formatBytes(free)} are free`}.{' '}
      {data?.persisted
        ? 'The browser keeps it until it is deleted.'
        : 'The browser may clear it when the disk runs full.'}
    </p>
  );
}

async function exportZip(account: string, jobs: readonly StoredJob[]): Promise<void> {
  const zip = new ZipWriter();
  for (const [index, job] of jobs.entries()) await addToZip(zip, await archiveStore.sealed(account, job), index + 1);
  saveFile(datedName('muster-archive', new Date(), 'zip'), zip.finish(), 'application/zip');
}

/** Actions on the selected archived jobs: a ZIP file of them, and deleting them for good. */
function ArchiveBar(props: { account: string; jobs: readonly StoredJob[]; onDelete: () => void }) {
  const { account, jobs, onDelete } = props;
  const save = useWrite({ mutationFn: () => exportZip(account, jobs) });
  return (
    <SelectionBar
      name="archived jobs"
      count={jobs.length}
      onClear={selection.clear}
      end={<FormError error={save.error} />}
    >
      <Button size="xs" loading={save.isPending} onClick={() => save.mutate()}>
        Save as a ZIP file
      </Button>
      <Button size="xs" color="red" onClick={onDelete}>
        Delete…
      </Button>
    </SelectionBar>
  );
}
