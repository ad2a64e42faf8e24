// Workflows (legacy), as queries and mutations.
import { mutationOptions, queryOptions } from '@tanstack/react-query';
import { workflowEndpoints, type WorkflowDraft } from '#/contract/workflows.ts';
import { call } from '#/api/call.ts';
import type { RequestKeys } from '#/api/request-keys.ts';
import { requestMutation } from '#/api/request-of.ts';

const changed = { invalidates: [['workflows']] };

export const workflowQueries = {
  list: () =>
    queryOptions({ queryKey: ['workflows'], queryFn: ({ signal }) => call(workflowEndpoints.list, {}, { signal }) }),
};

export const workflowMutations = {
  create: (keys: RequestKeys) =>
    mutationOptions({
      mutationFn: (body: WorkflowDraft) =>
        keys.send(body, (headers) => call(workflowEndpoints.create, { body }, { headers })),
      meta: changed,
    }),
  remove: (id: string) => requestMutation(workflowEndpoints.remove, { params: { workflow_id: id } }, changed),
};
