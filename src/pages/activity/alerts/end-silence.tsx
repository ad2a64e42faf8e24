import { Button } from '@mantine/core';
import { alertEndpoints } from '#/contract/alerts.ts';
import { alertMutations } from '#/api/alerts.ts';
import { useMay } from '#/api/people.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { FormError } from '#/ui/page/view.tsx';

/** `id`: of the silenced rule. */
export function EndSilence({ id, label }: { id: string; label: string }) {
  const noSilence = useMay(alertEndpoints.silenceRule, 'Silencing rules');
  const { mutate, isPending, error } = useWrite(alertMutations.silenceRule(id));
  return (
    <>
      <Gate why={noSilence}>
        <Button
          variant="default"
          size="xs"
          loading={isPending}
          aria-label={label}
          onClick={() => mutate({ Until: '', Reason: '' })}
        >
          End silence
        </Button>
      </Gate>
      <FormError error={error} />
    </>
  );
}
