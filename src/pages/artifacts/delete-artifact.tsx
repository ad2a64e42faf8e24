// The question before an artifact is deleted.
import { useMutation } from '@tanstack/react-query';
import type { Artifact } from '#/contract/artifacts.ts';
import { artifactMutations } from '#/api/artifacts.ts';
import { ConfirmDialog } from '#/ui/confirm-dialog.tsx';
import { focusPage } from '#/ui/use-focus-back.ts';

interface DeleteArtifactProps {
  artifact: Artifact;
  onClose: () => void;
}

export function DeleteArtifact({ artifact, onClose }: DeleteArtifactProps) {
  const remove = useMutation(artifactMutations.remove(artifact.ArtifactId));
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title="Delete artifact"
      confirmLabel="Delete artifact"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() =>
        remove.mutate(undefined, {
          onSuccess: () => {
            onClose();
            focusPage();
          },
        })
      }
    >
      <strong>
        {artifact.Name} {artifact.Version}
      </strong>{' '}
      leaves the registry for good. Jobs that still wait for it will fail; devices that already ran it keep what it did.
    </ConfirmDialog>
  );
}
