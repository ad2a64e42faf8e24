// A button that sends a test message to a channel, and what became of it.
import { Button } from '@mantine/core';
import type { UseMutationOptions } from '@tanstack/react-query';
import { alertEndpoints, type ChannelTest } from '#/contract/alerts.ts';
import { errorLine } from '#/api/api-error.ts';
import { refusedFields, type FieldLabels } from '#/api/form-rules.ts';
import { useMay } from '#/api/people.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';

interface SendTestProps {
  write: UseMutationOptions<ChannelTest>;
  label: string;
  /** Names the channel where there are several. */
  name?: string;
  /** Why it cannot be sent yet. */
  why?: string | undefined;
  /** Of the fields that may be refused. */
  labels?: FieldLabels;
}

export function SendTest({ write, label, name, why, labels = {} }: SendTestProps) {
  const { mutate, isPending, data, error } = useWrite(write);
  const noTest = useMay(alertEndpoints.testChannel, 'Testing channels');
  const because = error ? (Object.values(refusedFields(error, labels))[0] ?? errorLine(error)) : (data?.Because ?? '');
  return (
    <>
      <Gate why={noTest ?? why}>
        <Button
          variant="default"
          size="xs"
          loading={isPending}
          {...(name !== undefined && { 'aria-label': `${label} ${name}` })}
          onClick={() => mutate()}
        >
          {label}
        </Button>
      </Gate>
      <span role="status" className="small">
        {!isPending && (data || error) && (
          <>
            <StateMark
              state={data?.Delivered ? 'Succeeded' : 'Failed'}
              label={data?.Delivered ? 'Delivered' : 'Not delivered'}
            />
            {because && `: ${because}`}
          </>
        )}
      </span>
    </>
  );
}
