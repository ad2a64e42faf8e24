// The archive: ended jobs that are no longer in the lists, searchable by names, commands and output.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '@mantine/core';
import { archiveZip } from '#/api/archive.ts';
import { offered } from '#/api/capabilities.ts';
import { directAddress } from '#/api/direct.ts';
import { JobTabs } from '#/features/page-tabs/page-tabs.tsx';
import { jobsText } from '#/features/jobs/job-words.ts';
import type { EndedJobsAction } from '#/features/job-archive/ended-jobs-dialog.tsx';
import type { ArchiveItem } from '#/contract/archive.ts';
import { formatCount } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { lazyDialog } from '#/ui/late/lazy-dialog.tsx';
import { FilterBar } from '#/ui/table/filter-bar.tsx';
import { SearchField } from '#/ui/form/search-field.tsx';
import { Page } from '#/ui/page/page.tsx';
import { Empty, View } from '#/ui/page/view.tsx';
import { SelectedIds, useSelectedIds } from '#/ui/table/selected-ids.ts';
import { SelectionBar } from '#/ui/table/selection-bar.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import { plainText, urlSchema } from '#/ui/url/url-schema.ts';
import { useTyped } from '#/ui/url/use-typed.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { archiveColumns, archivedName } from './archive-columns.tsx';
import { EarlierJobs } from './earlier-jobs.tsx';
import { useFoundJobs } from './use-found-jobs.ts';
import classes from './archive.module.css';
import { bulkEndpoints } from '#/contract/bulk.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

const EndedJobsDialog = lazyDialog(() => import('#/features/job-archive/ended-jobs-dialog.tsx'), 'EndedJobsDialog');

const archiveUrl = urlSchema({ find: plainText });
const selection = new SelectedIds();
const keyOf = ({ Job: { JobId } }: ArchiveItem) => JobId;
/** Most jobs named in one request for a ZIP file. */
const MAX_NAMED = 200;

export function ArchivePage() {
  const hasOne = useQuery(offered('archive'));
  return (
    <Page title="Archive" lead="Ended jobs that left the lists, with all their output.">
      <JobTabs />
      <EarlierJobs />
      <View query={hasOne} name="the archive" empty={null}>
        {(hasArchive) => (hasArchive ? <Archive /> : <p>This service has no archive of jobs.</p>)}
      </View>
    </Page>
  );
}

function Archive() {
  const [{ find }, url] = useUrlState(archiveUrl);
  const found = useFoundJobs(find.trim());
  const typed = useTyped(find, (words) => url.set({ find: words }));
  const selected = useSelectedIds(selection);
  const [asked, setAsked] = useState<{ action: EndedJobsAction; items: ArchiveItem[] }>();
  const { items, total, isSearch, isSearching, searched } = found;
  const picked = items.filter((item) => selected.ids.has(keyOf(item)));
  return (
    <View
      query={found.query}
      name="the archive"
      isEmpty={() => !isSearch && items.length === 0}
      empty={
        <Empty title="No job is archived" scoped next={{ label: 'Choose jobs to archive', to: paths.jobs() }}>
          Archived jobs leave the lists. Their output stays searchable here.
        </Empty>
      }
    >
      {() => (
        <div className={classes.list}>
          <FilterBar label="Search the archive" className={classes.filters}>
            <SearchField label="Find in names, commands and output" text={typed} />
            <span role="status" className="dim tabular">
              {isSearch && `${formatCount(items.length)} found in `}
              {isSearching && `${formatCount(searched)} of `}
              {jobsText(total)}
            </span>
            {isSearching && <progress aria-label="Progress of the search" max={Math.max(1, total)} value={searched} />}
            <SaveZip label="Save all as a ZIP file" />
          </FilterBar>
          {items.length > 0 && (
            <VirtualTable
              name="Archived jobs"
              columns={archiveColumns(isSearch)}
              rows={items}
              rowKey={keyOf}
              selection={{ ...selected, nameOf: archivedName }}
            />
          )}
          {items.length === 0 && !isSearching && (
            <Empty
              title="Nothing found"
              next={{ label: 'Clear the search', variant: 'default', onClick: () => typed.send('') }}
            />
          )}
          {found.more && (
            <Button variant="default" className={classes.more} loading={found.query.isFetching} onClick={found.more}>
              {isSearch ? 'Search on' : 'Show more'}
            </Button>
          )}
          {picked.length > 0 && <ArchiveBar items={picked} onAsk={(action) => setAsked({ action, items: picked })} />}
          <EndedJobsDialog
            open={
              asked && {
                action: asked.action,
                jobs: asked.items.map(({ Job }) => Job),
                onClose: () => {
                  selection.remove(asked.items.map(keyOf));
                  setAsked(undefined);
                },
              }
            }
          />
        </div>
      )}
    </View>
  );
}

/** A link, so that the browser streams the file to disk. Without `ids` it has all jobs. */
function SaveZip({ label, ids }: { label: string; ids?: readonly string[] }) {
  const reason =
    directAddress !== undefined
      ? 'Only where the service itself serves this page; GET /v1/archive.zip has it, too'
      : ids && ids.length > MAX_NAMED
        ? `At most ${MAX_NAMED} jobs, or all`
        : undefined;
  return reason === undefined ? (
    <Button size="xs" variant="default" component="a" href={archiveZip(ids)} download>
      {label}
    </Button>
  ) : (
    <Gate why={reason}>
      <Button size="xs" variant="default">
        {label}
      </Button>
    </Gate>
  );
}

/** The bulk actions for the selected jobs. */
function ArchiveBar({ items, onAsk }: { items: readonly ArchiveItem[]; onAsk: (action: EndedJobsAction) => void }) {
  const noRestore = useMay(bulkEndpoints.create, 'Restoring jobs', { Action: 'unarchive' });
  const noDelete = useMay(bulkEndpoints.create, 'Deleting jobs', { Action: 'delete' });
  return (
    <SelectionBar name="archived jobs" count={items.length} onClear={selection.clear}>
      <SaveZip label="Save as a ZIP file" ids={items.map(keyOf)} />
      <Gate why={noRestore}>
        <Button size="xs" onClick={() => onAsk('unarchive')}>
          Restore…
        </Button>
      </Gate>
      <Gate why={noDelete}>
        <Button size="xs" color="red" onClick={() => onAsk('delete')}>
          Delete…
        </Button>
      </Gate>
    </SelectionBar>
  );
}
