// Retries exactly the devices of a group of failures.
import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { formatCount } from '#/lib/format.ts';
import { Gate } from '#/ui/controls/gate.tsx';

interface RetryGroupButtonProps {
  count: number;
  /** Why a retry is not possible. */
  fault: string | undefined;
  onClick: () => void;
}

export const RetryGroupButton = ({ count, fault, onClick }: RetryGroupButtonProps) => (
  <Gate why={fault}>
    <Button
      variant="filled"
      size="xs"
      leftSection={<IconRefresh size={16} stroke={1.6} aria-hidden />}
      onClick={onClick}
    >
      Retry these {formatCount(count)}…
    </Button>
  </Gate>
);
