// Workflows (legacy), as queries and mutations.
import { workflowEndpoints } from '#/contract/workflows.ts';
import { mutation, query, requestMutation } from '#/api/query.ts';
import type { RequestKeys } from '#/api/request-keys.ts';

export const workflowQueries = { list: () => query(workflowEndpoints.list, {}) };

export const workflowMutations = {
  create: (keys: RequestKeys) => mutation(workflowEndpoints.create, {}, { keys }),
  remove: (id: string) => requestMutation(workflowEndpoints.remove, { params: { workflow_id: id } }),
};
