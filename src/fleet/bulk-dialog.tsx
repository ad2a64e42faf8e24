// One action on many devices, from the plan to the results.
import { Modal } from '@mantine/core';
import { BULK_ACTIONS } from '#/fleet/bulk-actions.ts';
import type { BulkActionName } from '#/fleet/bulk-actions.ts';

interface BulkDialogProps {
  action: BulkActionName;
  ids: string[];
  onClose: () => void;
}

export function BulkDialog({ action, ids, onClose }: BulkDialogProps) {
  return (
    <Modal opened onClose={onClose} title={BULK_ACTIONS[action]} centered closeButtonProps={{ 'aria-label': 'Close' }}>
      {ids.length}
    </Modal>
  );
}
