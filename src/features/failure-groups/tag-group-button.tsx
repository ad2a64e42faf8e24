// Adds a tag to exactly the devices of a group of failures. Not there where the service has no tags.
import { useState } from 'react';
import { Button } from '@mantine/core';
import { IconTagPlus } from '@tabler/icons-react';
import { useOffered } from '#/api/capabilities.ts';
import { useMay } from '#/api/people.ts';
import { tagEndpoints } from '#/contract/tags.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { UNKNOWN_DEVICES } from './select-group-button.tsx';
import { lazyDialog } from '#/ui/late/lazy-dialog.tsx';

const BulkDialog = lazyDialog(() => import('#/features/bulk/bulk-dialog.tsx'), 'BulkDialog');

interface TagGroupButtonProps {
  ids: string[];
  isOpen: boolean;
  onOpen: () => void;
  onClose: () => void;
}

export function TagGroupButton({ ids, isOpen, onOpen, onClose }: TagGroupButtonProps) {
  const noTags = useMay(tagEndpoints.attach, 'Tagging devices');
  // The devices are fixed when the dialog opens, though the group may grow meanwhile.
  const [tagged, setTagged] = useState<string[]>();
  if (useOffered('tags') !== true) return null;
  return (
    <>
      <Gate why={noTags ?? (ids.length === 0 ? UNKNOWN_DEVICES : undefined)}>
        <Button
          size="xs"
          leftSection={<IconTagPlus size={16} stroke={1.6} aria-hidden />}
          onClick={() => {
            setTagged(ids);
            onOpen();
          }}
        >
          Add a tag…
        </Button>
      </Gate>
      <BulkDialog open={isOpen && { action: 'add-tag', ids: tagged ?? ids, onClose }} />
    </>
  );
}
