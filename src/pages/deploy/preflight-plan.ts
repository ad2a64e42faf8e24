// What is checked on the devices of a deploy before it.
import { checksFault } from './preflight-script.ts';
import type { Checks } from './preflight-script.ts';

export interface PreflightPlan {
  kind: 'checks' | 'workflow';
  checks: Checks;
  /** Id of the workflow. */
  workflow: string;
}

export const NEW_PREFLIGHT: PreflightPlan = {
  kind: 'checks',
  checks: { disk: { path: '/', megabytes: 200 } },
  workflow: '',
};

export const preflightFault = ({ kind, checks, workflow }: PreflightPlan): string | undefined =>
  kind === 'checks' ? checksFault(checks) : workflow === '' ? 'Choose the workflow that checks first.' : undefined;
