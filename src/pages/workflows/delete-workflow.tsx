// The question before a workflow is deleted.
import { workflowEndpoints } from '#/contract/workflows.ts';
import type { Workflow } from '#/contract/workflows.ts';
import { requestOf } from '#/api/request-of.ts';
import { workflowMutations } from '#/api/workflows.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { useConfirmed } from '#/ui/dialog/use-confirmed.ts';

export function DeleteWorkflow({ workflow, onClose }: { workflow: Workflow; onClose: () => void }) {
  const confirmed = useConfirmed(workflowMutations.remove(workflow.WorkflowId), onClose);
  return (
    <ConfirmDialog
      opened
      {...confirmed}
      title="Delete workflow"
      confirmLabel="Delete workflow"
      request={requestOf(workflowEndpoints.remove, { params: { workflow_id: workflow.WorkflowId } })}
    >
      <strong>{workflow.Name}</strong> can no longer be deployed. What it did on devices stays as it is.
    </ConfirmDialog>
  );
}
