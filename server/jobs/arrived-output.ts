// Collects the output of jobs that arrives within one unit of work, so that each stream of a job is written once, even
// if it arrived in many small messages.
import { STREAMS } from '#/contract/agent-link.ts';
import type { Stream } from '#/contract/agent-link.ts';
import type { AssignedJob } from '../agents/agent-connection.ts';
import { Counter } from 'prom-client';
import type { Tx } from '../store/database.ts';
import { appendOutput } from '../store/job-output.ts';
import { addRuns, nextRun } from '../store/output-order.ts';
import type { RunStart } from '../store/output-order.ts';

const outputBytes = new Counter({
  name: 'muster_job_output_bytes',
  help: 'Output that devices have sent since the start.',
});

interface Arrived {
  stdout: Buffer[];
  stderr: Buffer[];
  runs: RunStart[];
}

export class ArrivedOutput {
  readonly #jobs = new Map<AssignedJob, Arrived>();

  /** Adds the next bytes of a stream. */
  add(job: AssignedJob, stream: Stream, bytes: Buffer, at: number): void {
    let arrived = this.#jobs.get(job);
    if (!arrived) this.#jobs.set(job, (arrived = { stdout: [], stderr: [], runs: [] }));
    const run = nextRun(job.run, stream, job, at);
    if (run) arrived.runs.push(run);
    arrived[stream].push(bytes);
    job[stream] += bytes.length;
  }

  /** Writes the output of one job. */
  async writeOf(tx: Tx, job: AssignedJob): Promise<void> {
    const arrived = this.#jobs.get(job);
    if (!arrived) return;
    this.#jobs.delete(job);
    for (const stream of STREAMS) {
      const bytes = Buffer.concat(arrived[stream]);
      if (bytes.length === 0) continue;
      await appendOutput(tx, job.seq, stream, job[stream] - bytes.length, bytes);
      tx.afterCommit(() => outputBytes.inc(bytes.length));
    }
    await addRuns(tx, job.seq, arrived.runs);
  }

  /** Writes the output of all jobs concurrently, because each statement is a round trip to PostgreSQL. */
  async write(tx: Tx): Promise<void> {
    const written = await Promise.allSettled(Array.from(this.#jobs.keys(), (job) => this.writeOf(tx, job)));
    for (const each of written) if (each.status === 'rejected') throw each.reason;
  }
}
