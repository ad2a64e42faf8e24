// v1.md, "Workflows (legacy)".
import type { workflowEndpoints } from '#/contract/workflows.ts';
import type { Context } from '../context.ts';
import { idempotencyKey } from '../http/idempotency-key.ts';
import type { Handlers } from '../http/implement.ts';
import { invalid } from '../http/problem.ts';
import { runOnce } from '../store/submissions.ts';
import { deleteWorkflow, insertWorkflow, listWorkflows, workflowById } from '../store/workflows.ts';

export function workflowRoutes({ db, audit, now }: Context): Handlers<typeof workflowEndpoints> {
  return {
    create: (request) => {
      // A shell would cut the command at a NUL character, and run something else.
      if (request.body.Command.includes('\0')) throw invalid([{ field: 'Command', message: 'holds a NUL character' }]);
      const submission = { accountId: request.account.id, key: idempotencyKey(request.http), content: request.body };
      return db.write(async (tx) => {
        const { id: WorkflowId } = await runOnce(tx, submission, now(), async () => {
          const id = await insertWorkflow(tx, request.account.id, request.body, now());
          await audit.record(tx, request, 'workflow.create', id);
          return id;
        });
        return { WorkflowId };
      });
    },

    get: ({ account, params }) => workflowById(db, account.id, params.workflow_id),

    list: ({ account }) => listWorkflows(db, account.id),

    remove: (request) =>
      db.write(
        async (tx) => {
          const { WorkflowId, Name } = await workflowById(tx, request.account.id, request.params.workflow_id);
          await deleteWorkflow(tx, request.account.id, WorkflowId);
          await audit.record(tx, request, 'workflow.remove', WorkflowId, Name);
        },
        { essential: true },
      ),
  };
}
