// What is looked for in a list of jobs or devices, as it stands in the URL.
import { STATES } from './outcome.ts';
import type { Verdict } from './verdict.ts';

export interface JobFilter {
  /** A part of the name, in any letter case. */
  name: string;
  state: Verdict | undefined;
}

export const readJobFilter = (params: URLSearchParams): JobFilter => ({
  name: params.get('name') ?? '',
  state: STATES.find((state) => state.toLowerCase() === params.get('state')?.toLowerCase()),
});
