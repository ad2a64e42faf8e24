// The bulk work of the last days, of everybody in the account.
import { useQuery } from '@tanstack/react-query';
import type { Bulk } from '#/contract/bulk.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { isNotOffered } from '#/api/api-error.ts';
import { bulkQueries } from '#/api/bulk-work.ts';
import { tagQueries } from '#/api/tags.ts';
import { bulkTitle, bulkValues, bulkWords } from '#/features/bulk/bulk-words.ts';
import { paths } from '#/paths.ts';
import { StateOf } from '#/ui/controls/state-mark.tsx';
import { Time } from '#/ui/controls/time.tsx';
import { Page } from '#/ui/page/page.tsx';
import { Empty, View } from '#/ui/page/view.tsx';
import type { Column } from '#/ui/table/table.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import { Link } from '#/ui/url/link.tsx';

const keyOf = ({ BulkId }: Bulk) => BulkId;

export function BulkListPage() {
  const reading = useQuery(bulkQueries.list());
  const tags = useQuery(tagQueries.list()).data ?? [];
  const columns: Column<Bulk>[] = [
    {
      header: 'Action',
      width: '30%',
      cell: (bulk) => <Link to={paths.bulk(bulk.BulkId)}>{bulkTitle(bulk)}</Link>,
    },
    { header: 'Change', width: '25%', phone: 'wide', cell: (bulk) => bulkValues(bulk, tags) },
    {
      header: 'Result',
      phone: 'wide',
      cell: (bulk) => <StateOf words={bulkWords(bulk)} />,
    },
    {
      header: 'Started',
      width: '120px',
      phone: 'second',
      cell: ({ CreatedTime }) => <Time at={parseTimestamp(CreatedTime)} raw={CreatedTime} />,
    },
  ];
  return (
    <Page title="Bulk actions" lead="Changes to many devices or jobs, and new devices, listed for seven days.">
      {isNotOffered(reading.error) ? (
        <Empty title="This service has no bulk actions">
          The dashboard sends one request for each device, and shows the results in the dialog.
        </Empty>
      ) : (
        <View
          query={reading}
          name="the bulk actions"
          isEmpty={(list) => list.length === 0}
          empty={
            <Empty
              title="No bulk actions in the last seven days"
              next={{ label: 'Select devices', to: paths.devices() }}
            />
          }
        >
          {(list) => <VirtualTable name="Bulk actions" columns={columns} rows={list} rowKey={keyOf} />}
        </View>
      )}
    </Page>
  );
}
