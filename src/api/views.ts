// Saved views of the devices, which the service stores for the whole account. Their writes are in view-writes.ts.
import { viewEndpoints } from '#/contract/views.ts';
import { query } from '#/api/query.ts';

export const viewQueries = { list: () => query(viewEndpoints.list, {}) };
