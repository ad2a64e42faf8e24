// The audit log, page by page and as a CSV file.
import { auditEndpoints, type AuditFilters } from '#/contract/audit.ts';
import { pathOf, send } from '#/api/call.ts';
import { items, query } from '#/api/query.ts';
import { datedName, saveFile } from '#/lib/save-file.ts';

const PAGE = '100';
/** Polling interval in milliseconds while only the newest entries are shown. */
const FRESH = 15_000;
/** The same for who changed an object last. */
const ORIGIN_FRESH = 30_000;

export const auditQueries = {
  list: (filters: AuditFilters) =>
    items(
      auditEndpoints.list,
      { query: { ...filters, limit: PAGE } },
      { poll: (data) => !(data && data.pages.length > 1) && FRESH, pollLive: FRESH },
    ),
  origin: (object: string) =>
    query(auditEndpoints.origin, { query: { object } }, { poll: ORIGIN_FRESH, pollLive: ORIGIN_FRESH }),
};

/** Saves all entries that match the filters as CSV. */
export async function saveAuditCsv(filters: AuditFilters): Promise<void> {
  const { text } = await send('GET', pathOf(auditEndpoints.csv, { query: filters }), undefined, {});
  saveFile(datedName('audit'), text);
}
