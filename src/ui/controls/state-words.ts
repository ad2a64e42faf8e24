// A state as a person reads it, wherever it is shown. Each kind of thing has one function that gives its words.
import { formatCount } from '#/lib/format.ts';

export interface StateWords {
  label: string;
  /** The state whose mark it has. */
  mark: string;
  /** How many of its devices failed, where the label does not say that it failed. */
  failed?: number;
}

/** "Waiting · 8 failed" */
export const stateText = ({ label, failed = 0 }: Pick<StateWords, 'label' | 'failed'>): string =>
  failed > 0 ? `${label} · ${formatCount(failed)} failed` : label;
