// Translates the end of a job to the terms of the API.
import { STREAMS } from '#/contract/agent-link.ts';
import type { Ended, Outcome } from '#/contract/agent-link.ts';
import type { JobStatus } from '#/contract/jobs.ts';
import type { AssignedJob } from '../agents/agent-connection.ts';
import type { Tx } from '../store/database.ts';
import { beginningOf } from '../store/job-output.ts';

/** How much of the output a list of jobs shows. */
const BEGINNING_BYTES = 1024;
const BEGINNING_CHARACTERS = 240;

const STATUS_OF: Record<Outcome, JobStatus> = {
  exited: 'Failed',
  'timed-out': 'Failed',
  'not-started': 'Failed',
  cancelled: 'Cancelled',
  interrupted: 'Interrupted',
};
/** The status of a job that ended this way. */
export const statusOf = ({ outcome, exitCode }: Ended): JobStatus =>
  outcome === 'exited' && exitCode === 0 ? 'Succeeded' : STATUS_OF[outcome];

const UNEXPLAINED: Record<Outcome, string> = {
  exited: '',
  'timed-out': 'Stopped: it ran longer than its limit of time.',
  'not-started': 'The device did not start it, and gave no reason.',
  cancelled: 'Stopped on request.',
  interrupted: 'It was interrupted on the device; how far it came is not known.',
};
/** Why a job ended, unless it simply exited; with a default for agents that give no reason. */
export const reasonOf = ({ outcome, reason = '' }: Ended): string => reason.trim() || UNEXPLAINED[outcome];

/** The beginning of a job's Result, for lists. */
export async function beginning(tx: Tx, job: AssignedJob, reason: string): Promise<string> {
  let text = '';
  for (const stream of STREAMS)
    if (job[stream] > 0 && text.length < BEGINNING_CHARACTERS)
      text += (await beginningOf(tx, job.seq, stream, BEGINNING_BYTES)).toString();
  text += reason;
  return text.length > BEGINNING_CHARACTERS ? `${text.slice(0, BEGINNING_CHARACTERS)}…` : text;
}
