// A state in words. Each kind of object has one function that returns them, for every place that shows the state.
import { formatCount } from '#/lib/format.ts';

export interface StateWords {
  label: string;
  /** The state whose mark is shown. */
  mark: string;
  /** How many devices failed, if the label does not say that it failed. */
  failed?: number;
}

/** "Waiting · 8 failed" */
export const stateText = ({ label, failed = 0 }: Pick<StateWords, 'label' | 'failed'>): string =>
  failed > 0 ? `${label} · ${formatCount(failed)} failed` : label;

/** The word of a device's state. */
export const stateLabel = (state: string): string => (state === 'NotConnected' ? 'Not connected yet' : state);
