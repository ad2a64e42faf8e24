// Exports everything that a page lists as a CSV file.
import { useMutation } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';

interface ExportButtonProps {
  /** The start of a sentence: "The audit log". */
  what: string;
  save: () => Promise<void>;
}

export function ExportButton({ what, save }: ExportButtonProps) {
  const saving = useMutation({ mutationFn: save });
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconDownload size={18} stroke={1.6} aria-hidden />}
        loading={saving.isPending}
        onClick={() => saving.mutate()}
      >
        Export CSV
      </Button>
      {saving.error && (
        <p role="alert">
          {what} was not exported: {saving.error.message}
        </p>
      )}
    </>
  );
}
