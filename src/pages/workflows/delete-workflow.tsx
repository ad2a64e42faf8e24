// The question before a workflow is deleted.
import type { Workflow } from '#/contract/workflows.ts';
import { workflowMutations } from '#/api/workflows.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';

export function DeleteWorkflow({ workflow, onClose }: { workflow: Workflow; onClose: () => void }) {
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Delete workflow"
      confirmLabel="Delete workflow"
      write={workflowMutations.remove(workflow.WorkflowId)}
    >
      <strong>{workflow.Name}</strong> can no longer be deployed. What it did on devices stays as it is.
    </ConfirmDialog>
  );
}
