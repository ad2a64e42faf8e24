// v1.md, "Workflows (legacy)": a named command, the older way to deploy.
import * as z from 'zod/mini';
import { list, nameText, pathId, row, text } from '#/contract/endpoint.ts';
import { resource } from '#/contract/resource.ts';

export const workflow = row(
  z.looseObject({
    WorkflowId: z.string().check(z.minLength(1)),
    Name: text,
    Command: text,
    CreatedTime: text,
  }),
);
export type Workflow = z.output<typeof workflow>;

export const workflowDraft = z.object({
  Name: nameText,
  Command: z.string().check(
    z.maxLength(65_536),
    z.refine((command) => command.trim() !== '', 'must not be empty'),
  ),
});
export type WorkflowDraft = z.output<typeof workflowDraft>;

const oneWorkflow = z.object({ workflow_id: pathId });

export const workflowEndpoints = resource('workflows', { live: 'flag', id: 'workflow_id' }).operations({
  create: {
    method: 'POST',
    path: '/v1/workflow',
    permission: 'connect',
    summary: 'Define a workflow',
    once: true,
    body: workflowDraft,
    response: z.looseObject({ WorkflowId: z.string() }),
  },
  get: {
    method: 'GET',
    path: '/v1/workflow/:workflow_id',
    permission: 'read',
    summary: 'Get one workflow',
    params: oneWorkflow,
    response: workflow,
  },
  list: {
    method: 'GET',
    path: '/v1/workflow',
    permission: 'read',
    summary: 'List all workflows',
    response: list(workflow),
  },
  remove: {
    method: 'DELETE',
    path: '/v1/workflow/:workflow_id',
    permission: 'operate',
    unlimited: true,
    changes: ['jobs'],
    summary: 'Delete a workflow',
    params: oneWorkflow,
  },
});
