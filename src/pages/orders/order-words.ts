// Standing orders in words and marks.
import { ENDED_STATES, type OrderedDeviceState, type StandingOrder } from '#/contract/standing-orders.ts';
import { formatCount } from '#/lib/format.ts';

interface Words {
  label: string;
  /** The state whose mark it has. */
  mark: string;
}

const DEVICES: Record<OrderedDeviceState, Words> = {
  Has: { label: 'Has it', mark: 'Succeeded' },
  Pending: { label: 'Not begun', mark: 'Waiting' },
  Waiting: { label: 'Waiting', mark: 'Waiting' },
  Running: { label: 'Running', mark: 'Running' },
  Failed: { label: 'Failed', mark: 'Failed' },
  RolledBack: { label: 'Rolled back', mark: 'Rolled back' },
  NoAnswer: { label: 'No answer', mark: 'No answer' },
  Cancelled: { label: 'Cancelled', mark: 'Cancelled' },
  Replaced: { label: 'Replaced since', mark: 'Interrupted' },
};
export const orderedDeviceWords = (state: OrderedDeviceState): Words => DEVICES[state];

/** The devices that get no job by themselves any more. */
export const endedCount = ({ Counts }: Pick<StandingOrder, 'Counts'>): number =>
  ENDED_STATES.reduce((sum, state) => sum + (Counts[state] ?? 0), 0);

/** What needs a person first. */
export function orderWords(order: StandingOrder): Words {
  const { State, Counts, Devices } = order;
  if (State === 'Stopped') return { label: 'Stopped', mark: 'Cancelled' };
  if (endedCount(order) > 0) return { label: 'Some failed', mark: 'Failed' };
  if (Devices === 0) return { label: 'No devices', mark: 'Finished' };
  if (Counts['Has'] === Devices) return { label: 'Fulfilled', mark: 'Succeeded' };
  return Counts['Running'] ? DEVICES.Running : DEVICES.Waiting;
}

const FIGURES = [...ENDED_STATES, 'Running', 'Waiting', 'Pending'] as const satisfies readonly OrderedDeviceState[];

/** "12 of 14 have it, 1 failed, 1 running" */
export function figuresText({ Counts, Devices }: StandingOrder): string {
  const parts = FIGURES.flatMap((state) => {
    const count = Counts[state] ?? 0;
    return count > 0 ? [`${formatCount(count)} ${DEVICES[state].label.toLowerCase()}`] : [];
  });
  return [`${formatCount(Counts['Has'] ?? 0)} of ${formatCount(Devices)} have it`, ...parts].join(', ');
}
