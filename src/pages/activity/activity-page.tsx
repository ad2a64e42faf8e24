// Activity: the audit log of the account.
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { AuditEntry } from '#/contract/audit.ts';
import { auditQueries, saveAuditCsv } from '#/api/audit.ts';
import { offered, useOffered } from '#/api/capabilities.ts';
import { ActivityTabs } from '#/features/page-tabs/page-tabs.tsx';
import { formatCount } from '#/lib/format.ts';
import { useNow } from '#/ui/controls/time.tsx';
import { useDialog } from '#/ui/dialog/use-dialog.ts';
import { Page } from '#/ui/page/page.tsx';
import { Empty, View } from '#/ui/page/view.tsx';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { AuditFilterBar, auditUrl, filtersOf } from './audit-filters.tsx';
import { auditLines } from './audit-lines.ts';
import { AuditEntryDialog, AuditTable } from './audit-table.tsx';
import { ExportButton } from './export-button.tsx';
import { actorText } from '#/features/audit-link/actor-text.ts';
import { NextPage } from '#/ui/table/more-rows.tsx';

export function ActivityPage() {
  const [view] = useUrlState(auditUrl);
  const offer = useQuery(offered('audit'));
  return (
    <Page
      title="Activity"
      lead="Who did what, when and from where. Entries are never changed or removed."
      actions={
        offer.data && <ExportButton what="The audit log" save={() => saveAuditCsv(filtersOf(view, new Date()))} />
      }
    >
      <ActivityTabs />
      <View query={offer} name="the account" empty={null}>
        {(isOffered) =>
          isOffered ? (
            <AuditLog />
          ) : (
            <Empty title="This service has no audit log">Look for one in its own web portal.</Empty>
          )
        }
      </View>
    </Page>
  );
}

function AuditLog() {
  const [view, url] = useUrlState(auditUrl);
  const reading = useInfiniteQuery(auditQueries.list(filtersOf(view, useNow())));
  const dialog = useDialog<'entry'>('entry');
  // A filter asks for single entries, and may leave out those of the bulk actions.
  const isFolded = !view.kind && !view.object && !view.outcome;
  const starts = useBulkStarts(isFolded);
  const entries = reading.data;
  const lines = useMemo(
    () => (entries && isFolded ? auditLines(entries, starts) : entries?.map((entry) => ({ entry, items: [] }))),
    [entries, isFolded, starts],
  );
  const subject = [...(entries ?? []), ...starts].find(({ Id }) => Id === dialog.subject);
  const isFiltered = Object.values(view).some(Boolean);
  return (
    <>
      <AuditFilterBar
        view={view}
        url={url}
        actor={actorText({ Actor: view.actor, ActorName: reading.data?.[0]?.ActorName ?? '' })}
        count={countText(reading.data, reading.hasNextPage)}
      />
      <View
        query={reading}
        name="the audit log"
        isEmpty={({ length }) => length === 0}
        empty={
          isFiltered ? (
            <Empty
              title="No matching entries"
              next={{ label: 'Clear filters', variant: 'default', onClick: () => url.set(auditUrl.defaults) }}
            />
          ) : (
            <Empty title="No activity yet">Changes to devices, jobs, artifacts and tokens appear here.</Empty>
          )
        }
      >
        {() => (
          <>
            <AuditTable lines={lines ?? []} dialog={dialog} onActor={(actor) => url.set({ actor })} />
            <NextPage reading={reading} label="Show older entries" />
          </>
        )}
      </View>
      {dialog.name === 'entry' && subject && <AuditEntryDialog entry={subject} onClose={dialog.close} />}
    </>
  );
}

const NO_ENTRIES: readonly AuditEntry[] = [];

/** The entries of the bulk actions themselves, where the service has bulk work. */
function useBulkStarts(isWanted: boolean): readonly AuditEntry[] {
  const enabled = useOffered('bulk') === true && isWanted;
  return useInfiniteQuery({ ...auditQueries.list({ action: 'bulk' }), enabled }).data ?? NO_ENTRIES;
}

const countText = (entries: readonly AuditEntry[] | undefined, more: boolean): string =>
  entries === undefined
    ? ''
    : more
      ? `Newest ${formatCount(entries.length)}`
      : `${formatCount(entries.length)} ${entries.length === 1 ? 'entry' : 'entries'}`;
