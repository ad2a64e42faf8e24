// One piece of bulk work, of any user: its progress, the result of each item, and what can be done about failures.
import { useMemo } from 'react';
import { useNavigate, useParams } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { bulkEndpoints, type Bulk, type BulkOutcomeName } from '#/contract/bulk.ts';
import { startBulk, bulkQueries, cancelBulk, isRunning, type ReadBulk } from '#/api/bulk-work.ts';
import { tagQueries } from '#/api/tags.ts';
import { BulkResultList } from '#/features/bulk/bulk-result-list.tsx';
import { bulkProgress, bulkTitle, bulkValues, bulkWords, sameFor, workSize } from '#/features/bulk/bulk-words.ts';
import { resultOfItem } from '#/features/bulk/bulk-results.ts';
import { formatCount } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { Page } from '#/ui/page/page.tsx';
import { FormError, View } from '#/ui/page/view.tsx';
import { Status } from '#/ui/controls/status.tsx';
import { Link } from '#/ui/url/link.tsx';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

export function BulkPage() {
  const { id = '' } = useParams();
  const reading = useQuery(bulkQueries.one(id));
  const tags = useQuery(tagQueries.list()).data ?? [];
  const { data } = reading;
  return (
    <Page
      title={data ? bulkTitle(data.bulk) : 'Bulk actions'}
      state={data && bulkWords(data.bulk)}
      lead={
        data?.bulk.Action === 'create' ? (
          <Link to={paths.addMany(id)}>Devices and their keys</Link>
        ) : (
          data && bulkValues(data.bulk, tags)
        )
      }
      back={<Link to={paths.bulkList()}>Bulk actions</Link>}
    >
      <View query={reading} name="the bulk actions" empty={null}>
        {(read) => (
          <>
            <Status>
              {isRunning(read.bulk) ? (
                <strong>{bulkProgress(read.bulk)}</strong>
              ) : (
                <span className="visually-hidden">Ended</span>
              )}
            </Status>
            {isRunning(read.bulk) && <Running bulk={read.bulk} />}
            <Results read={read} />
          </>
        )}
      </View>
    </Page>
  );
}

function Running({ bulk }: { bulk: Bulk }) {
  const cancel = useWrite({
    mutationFn: () => cancelBulk(bulk.BulkId),
    meta: { changes: ['bulk'] },
  });
  const noCancel = useMay(bulkEndpoints.cancel, 'Cancelling bulk actions');
  const total = workSize(bulk);
  return (
    <div className="stack">
      <progress aria-label={bulkTitle(bulk)} max={Math.max(1, total)} value={total - bulk.Counts.Left} />
      <FormError error={cancel.error} />
      <div className="actions">
        <Gate why={noCancel}>
          <Button loading={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel
          </Button>
        </Gate>
      </div>
    </div>
  );
}

function Results({ read: { bulk, items } }: { read: ReadBulk }) {
  const navigate = useNavigate();
  const again = useWrite({
    mutationFn: startBulk,
    onSuccess: (id) => navigate(paths.bulk(id)),
    meta: { changes: ['bulk'] },
  });
  const noAgain = useMay(bulkEndpoints.create, 'Repeating it', { Action: bulk.Action });
  const running = isRunning(bulk);
  // While it is running, only problems are listed: sorting all items every second would block the page.
  const rows = useMemo(
    () =>
      items.flatMap((item, index) =>
        running && item.Outcome !== 'Failed'
          ? []
          : // A device that was not created has no id.
            { id: item.Id || `row ${index + 1}`, name: item.Name || item.Id, ...resultOfItem(item) },
      ),
    [items, running],
  );
  const retry = (outcome: BulkOutcomeName, label: (count: string) => string) => {
    const some = items.filter(({ Outcome }) => Outcome === outcome);
    const same = sameFor(bulk, some);
    return (
      some.length > 0 &&
      same &&
      !running && (
        <Gate why={noAgain}>
          <Button loading={again.isPending} onClick={() => again.mutate(same)}>
            {label(formatCount(some.length))}
          </Button>
        </Gate>
      )
    );
  };
  if (rows.length === 0) return null;
  return (
    <>
      <FormError error={again.error} />
      <BulkResultList
        rows={rows}
        fileName={`bulk-${bulk.Action}`.toLowerCase()}
        noun={bulk.Of === 'Devices' ? 'device' : 'job'}
        actions={
          <>
            {retry('Left', (count) => `Continue with the ${count} not done`)}
            {retry('Failed', (count) => `Retry the failed (${count})`)}
          </>
        }
      />
    </>
  );
}
