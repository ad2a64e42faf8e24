// Sends the failed devices to the worker, in batches and each only once, and requests their groups.
import type { Job } from '#/contract/jobs.ts';
import { nextTask } from '#/lib/pace.ts';
import { WorkerClient, WorkerError } from '#/lib/worker-client.ts';
import { outputOf } from '#/features/jobs/job-output.ts';
import { openGrouping, type Comparison, type GroupingAnswer, type GroupingRequest } from './failure-grouping.ts';
import { withMembersInOrder, type DeviceFailure } from './grouper.ts';
import type { FailureGroup } from './shown-group.ts';
import type { DeviceLog } from './log-diff.ts';
import { tailOf } from './plain-lines.ts';
import { tellingLine } from './telling-line.ts';

/** A failed job of one device. */
export interface FailedJob {
  /** A unique key. */
  key: string;
  job: Job;
  /** How it ended, as worded on the page. */
  ended: string;
}

/** Devices sent per task. */
const PORTION = 200;
/** Characters at the end of each stream that are searched for the cause, and that are compared. */
const TAIL = 4_000;
const COMPARED = 400_000;

const namesOf = ({ DeviceName = '', DeviceId }: Job) => [DeviceName, DeviceId].filter(Boolean);

function streamsOf(job: Job, most: number) {
  const { streams, reason } = outputOf(job);
  const text = (error: boolean) =>
    streams
      .filter((stream) => (stream.error ?? false) === error)
      .map((stream) => tailOf(stream.text, most))
      .join('\n');
  return { stdout: text(false), stderr: text(true), reason };
}

const failureOf = ({ key, job, ended }: FailedJob): DeviceFailure => ({
  key,
  ended,
  exitCode: job.ExitCode,
  names: namesOf(job),
  ...streamsOf(job, TAIL),
});

const logOf = (job: Job): DeviceLog => {
  const { stdout, stderr } = streamsOf(job, COMPARED);
  return { stdout, stderr, names: namesOf(job) };
};

export class FailureClient {
  private readonly worker = new WorkerClient<GroupingRequest, GroupingAnswer>(
    () => new Worker(new URL('./failure-worker.ts', import.meta.url), { type: 'module' }),
  );
  /** Groups in the page if the worker cannot be loaded: slow is better than nothing. */
  private here: ((request: GroupingRequest) => GroupingAnswer) | undefined;
  /** The failures sent to the worker, by key. */
  private readonly sent = new Map<string, FailedJob>();
  private turn = 0;

  private post(request: GroupingRequest): void {
    if (this.here) this.here(request);
    else this.worker.post(request);
  }

  private async ask(request: GroupingRequest): Promise<GroupingAnswer> {
    if (!this.here)
      try {
        return await this.worker.ask(request);
      } catch (error) {
        if (!(error instanceof WorkerError)) throw error;
        if (error.kind === 'ended') return {};
        this.here = openGrouping();
        this.here({ kind: 'put', failures: [...this.sent.values()].map(failureOf) });
      }
    return this.here(request);
  }

  /** The groups of exactly these failures; undefined if others were requested meanwhile. */
  async groups(failed: readonly FailedJob[]): Promise<FailureGroup[] | undefined> {
    const turn = ++this.turn;
    const keys = new Set(failed.map(({ key }) => key));
    const gone = [...this.sent.keys()].filter((key) => !keys.has(key));
    for (const key of gone) this.sent.delete(key);
    if (gone.length > 0) this.post({ kind: 'remove', keys: gone });
    const changed = failed.filter(({ key, job, ended }) => {
      const known = this.sent.get(key);
      return known?.job !== job || known.ended !== ended;
    });
    for (let from = 0; from < changed.length; from += PORTION) {
      if (from > 0) await nextTask();
      if (turn !== this.turn) return undefined;
      const portion = changed.slice(from, from + PORTION);
      for (const each of portion) this.sent.set(each.key, each);
      this.post({ kind: 'put', failures: portion.map(failureOf) });
    }
    const { groups } = await this.ask({ kind: 'groups' });
    return turn === this.turn ? groups && withMembersInOrder(groups, keys) : undefined;
  }

  /** How a log differs from the most similar of some healthy ones. */
  async compare(failed: Job, healthy: readonly Job[]): Promise<Comparison | undefined> {
    const request = { failed: logOf(failed), healthy: healthy.map(logOf) };
    return (await this.ask({ kind: 'compare', ...request })).comparison;
  }

  /** Terminates the worker; a later request starts another one. */
  close(): void {
    this.turn++;
    this.worker.close();
    this.here = undefined;
    this.sent.clear();
  }
}

/** The line of a job's output that explains its end. */
export function tellingLineOf(job: Job): string {
  return tellingLine(streamsOf(job, TAIL));
}
