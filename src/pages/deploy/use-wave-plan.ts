// The service's plan of a rollout that is being set up, shortly after each change.
import { useQuery } from '@tanstack/react-query';
import { useDebouncedValue } from '@mantine/hooks';
import { rolloutQueries } from '#/api/rollouts.ts';
import { percentFault, type RolloutDraft } from '#/contract/rollouts.ts';

export type WavePlanning = ReturnType<typeof useWavePlan>;

export function useWavePlan(draft: RolloutDraft | undefined) {
  const [settled] = useDebouncedValue(draft, 300);
  const isAsked = settled !== undefined && percentFault(settled.Waves) === undefined && hasDevices(settled);
  const { data, error } = useQuery({
    // Without a draft the query is disabled, and its key is never used.
    ...rolloutQueries.plan(settled ?? ({} as RolloutDraft)),
    enabled: isAsked,
    // The old figures stay while a handle moves.
    placeholderData: (before) => before,
  });
  return { plan: settled && data, error: isAsked ? error : null };
}

/** A wave whose devices are still to be named would be refused. */
const hasDevices = ({ Waves }: RolloutDraft) => Waves.every(({ DeviceIds }) => DeviceIds?.length !== 0);
