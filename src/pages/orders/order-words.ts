// The words for standing orders and their devices.
import { ENDED_STATES, type OrderedDeviceState, type StandingOrder } from '#/contract/standing-orders.ts';
import { formatCount } from '#/lib/format.ts';
import type { StateWords } from '#/ui/controls/state-words.ts';

const DEVICES: Record<OrderedDeviceState, StateWords> = {
  Has: { label: 'Has it', mark: 'Succeeded' },
  Pending: { label: 'Not started', mark: 'Waiting' },
  Waiting: { label: 'Waiting', mark: 'Waiting' },
  Running: { label: 'Running', mark: 'Running' },
  Failed: { label: 'Failed', mark: 'Failed' },
  RolledBack: { label: 'Rolled back', mark: 'Rolled back' },
  NoAnswer: { label: 'No answer', mark: 'No answer' },
  Cancelled: { label: 'Cancelled', mark: 'Cancelled' },
  Replaced: { label: 'Replaced', mark: 'Interrupted' },
};
export const orderedDeviceWords = (state: OrderedDeviceState): StateWords => DEVICES[state];

/** Devices that get no more jobs unless someone retries them. */
export const endedCount = ({ Counts }: Pick<StandingOrder, 'Counts'>): number =>
  ENDED_STATES.reduce((sum, state) => sum + (Counts[state] ?? 0), 0);

const FAILED = ['Failed', 'RolledBack', 'NoAnswer'] as const satisfies readonly OrderedDeviceState[];

/** The state of an order. Failed devices are counted even while others are still running. */
export function orderWords(order: Pick<StandingOrder, 'State' | 'Counts' | 'Devices'>): StateWords {
  const { State, Counts, Devices } = order;
  const failed = FAILED.reduce((sum, state) => sum + (Counts[state] ?? 0), 0);
  if (State === 'Stopped') return { label: 'Stopped', mark: 'Cancelled', failed };
  if (Counts['Running']) return { ...DEVICES.Running, failed };
  if (Counts['Waiting'] || Counts['Pending']) return { ...DEVICES.Waiting, failed };
  if (endedCount(order) > 0) return { label: 'Not fulfilled', mark: failed > 0 ? 'Failed' : 'Interrupted', failed };
  return Devices === 0 ? { label: 'No devices', mark: 'Finished' } : { label: 'Fulfilled', mark: 'Succeeded' };
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
