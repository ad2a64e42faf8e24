// The audit log of our service, page by page, and as a file.
import { infiniteQueryOptions } from '@tanstack/react-query';
import { auditEndpoints, type AuditEntry, type AuditFilters } from '#/contract/audit.ts';
import { call, pathOf, send } from '#/api/call.ts';
import { requireOffer } from '#/api/capabilities.ts';
import { datedName, saveFile } from '#/lib/save-file.ts';

const PAGE = '100';
/** New entries are looked for this often while only the newest are shown, in milliseconds. */
const FRESH = 15_000;

interface AuditPage {
  Items: AuditEntry[];
  Next: string;
}
const entriesOf = ({ pages }: { pages: AuditPage[] }): AuditEntry[] => pages.flatMap(({ Items }) => Items);

export const auditQueries = {
  list: (filters: AuditFilters) =>
    infiniteQueryOptions({
      queryKey: ['audit', filters],
      queryFn: async ({ signal, pageParam: before }) => {
        await requireOffer('audit');
        return call(auditEndpoints.list, { query: { ...filters, limit: PAGE, ...(before && { before }) } }, { signal });
      },
      initialPageParam: '',
      getNextPageParam: ({ Next }) => Next || undefined,
      select: entriesOf,
      refetchInterval: ({ state }) => (state.data && state.data.pages.length > 1 ? false : FRESH),
    }),
};

/** Saves all entries that meet the conditions as CSV. */
export async function saveAuditCsv(filters: AuditFilters): Promise<void> {
  const { text } = await send('GET', pathOf(auditEndpoints.csv, { query: filters }), undefined, {});
  saveFile(datedName('audit'), text);
}
