// The question before a workflow is deleted.
import { useMutation } from '@tanstack/react-query';
import { workflowEndpoints } from '#/contract/workflows.ts';
import type { Workflow } from '#/contract/workflows.ts';
import { requestOf } from '#/api/request-of.ts';
import { workflowMutations } from '#/api/workflows.ts';
import { ConfirmDialog } from '#/ui/confirm-dialog.tsx';
import { focusPage } from '#/ui/use-focus-back.ts';

export function DeleteWorkflow({ workflow, onClose }: { workflow: Workflow; onClose: () => void }) {
  const remove = useMutation(workflowMutations.remove(workflow.WorkflowId));
  const done = () => {
    onClose();
    focusPage();
  };
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title="Delete workflow"
      confirmLabel="Delete workflow"
      request={requestOf(workflowEndpoints.remove, { params: { workflow_id: workflow.WorkflowId } })}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(undefined, { onSuccess: done })}
    >
      <strong>{workflow.Name}</strong> can no longer be deployed. What it did on devices stays as it is.
    </ConfirmDialog>
  );
}
