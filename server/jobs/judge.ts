// Judges the ended jobs in `to_judge` by the outcome rules of what they ran, newest first and a batch per transaction.
// Nothing is lost if the service stops in between.
import type { Database } from '../store/database.ts';
import { correctVersions } from '../store/device-versions.ts';
import { readOutput, smallOutputs } from '../store/job-output.ts';
import {
  expandParent,
  jobsToJudge,
  leaveVerdicts,
  nameJobs,
  ruleSetsOf,
  storeVerdicts,
  type JobToJudge,
  type RuleSetRow,
  type StoredRule,
  type StoredVerdict,
} from '../store/rules.ts';
import { openMarksReader, type Strikes } from './marks-reader.ts';
import { formerReading } from './pattern.ts';
import type { JudgingRule } from './read-marks.ts';
import { verdictOf } from './verdict.ts';

const MAX_JOBS = 500;
/** The most output per batch. */
const MAX_BYTES = 2 * 1024 * 1024;

export interface Judge {
  /** Judges all queued jobs. */
  run(): Promise<void>;
  /** Ends `run` after the current batch. */
  stop(): void;
  close(): Promise<void>;
}

const isJudged = ({ ended, status }: JobToJudge) => ended !== null && status !== 'Cancelled';

const toJudge = (rule: StoredRule): JudgingRule => ({ ...rule, isInReview: formerReading(rule) !== undefined });

export function openJudge(db: Database): Judge {
  const reader = openMarksReader();
  /** By rule set and version, so that a slow pattern is not tried on each of thousands of outputs. */
  const strikesOf = new Map<string, Strikes>();
  const closing = new AbortController();
  const isOpen = () => !closing.signal.aborted;
  let isNamed = false;

  /** The next jobs up to the first parent, as many as have output within the limit. */
  const nextBatch = async (): Promise<JobToJudge[]> => {
    const due = await jobsToJudge(db, MAX_JOBS);
    const parent = due.findIndex(({ device_seq }) => device_seq === null);
    let bytes = 0;
    const fitting = due.findIndex(({ output_bytes }, at) => (bytes += output_bytes) > MAX_BYTES && at > 0);
    const end = Math.min(...[parent === 0 ? 1 : parent, fitting].filter((at) => at > 0), due.length);
    return due.slice(0, end);
  };

  const setsOf = async (from: Pick<Database, 'all' | 'get' | 'dialect'>, jobs: JobToJudge[]) => {
    const sets = new Map<string, RuleSetRow>();
    for (const account of new Set(jobs.map(({ account_id }) => account_id)))
      for (const set of await ruleSetsOf(from, account)) sets.set(`${account} ${set.name}`, set);
    return (job: JobToJudge) => sets.get(`${job.account_id} ${job.rule_name}`);
  };

  const outputsOf = async (jobs: JobToJudge[]) => {
    const [first] = jobs;
    if (!first) return () => [];
    const of: (seq: number) => [Buffer, Buffer] =
      first.output_bytes > MAX_BYTES
        ? await Promise.all([readOutput(db, first.seq, 'stdout'), readOutput(db, first.seq, 'stderr')]).then(
            (both) => () => both,
          )
        : await smallOutputs(
            db,
            jobs.map(({ seq }) => seq),
          );
    return ({ seq }: JobToJudge) => {
      const [stdout, stderr] = of(seq);
      return [
        { name: 'stdout', text: stdout.toString() },
        { name: 'stderr', text: stderr.toString() },
      ];
    };
  };

  /** Judges a batch; false if no jobs were queued. */
  const judgeBatch = async (): Promise<boolean> => {
    const jobs = await nextBatch();
    const [first] = jobs;
    if (!first) return false;
    if (first.device_seq === null) {
      await db.write((tx) => expandParent(tx, first.seq), { patient: true });
      return true;
    }
    const setOf = await setsOf(db, jobs);
    const readable = jobs.filter((job) => isJudged(job) && job.output_removed === null && setOf(job) !== undefined);
    const outputOf = await outputsOf(readable);
    const verdicts = new Map<number, StoredVerdict>();
    for (const set of new Set(readable.map(setOf))) {
      if (!set) continue;
      const own = readable.filter((job) => setOf(job) === set);
      const key = `${set.account_id} ${set.version} ${set.name}`;
      const strikes = strikesOf.get(key) ?? new Map<number, number>();
      const readings = await reader.read(own.map(outputOf), set.rules.map(toJudge), { strikes });
      if (strikes.size > 0) strikesOf.set(key, strikes);
      for (const [at, job] of own.entries()) {
        const reading = readings[at];
        if (reading) verdicts.set(job.seq, { seq: job.seq, ...verdictOf(job, set.rules, reading) });
      }
    }
    await db.write(
      async (tx) => {
        const currentSet = await setsOf(tx, jobs);
        // Jobs whose rules have changed in the meantime stay queued.
        const same = jobs.filter((job) => currentSet(job)?.version === setOf(job)?.version);
        const judged = same.filter((job) => verdicts.has(job.seq) || setOf(job) === undefined);
        const none = { verdict: null, because: '', stream: null, line: null };
        await storeVerdicts(
          tx,
          judged.map(({ seq }) => verdicts.get(seq) ?? { seq, ...none }),
          new Set(judged.flatMap(({ parent_seq }) => parent_seq ?? [])),
        );
        await correctVersions(
          tx,
          judged.map(({ seq }) => seq),
        );
        await leaveVerdicts(
          tx,
          same.filter((job) => !judged.includes(job)).map(({ seq }) => seq),
        );
      },
      { patient: true },
    );
    return true;
  };

  return {
    run: async () => {
      while (!isNamed && isOpen()) isNamed = (await nameJobs(db)) === 0;
      while (isOpen() && (await judgeBatch()));
    },
    stop: () => closing.abort(),
    close: () => reader.close(),
  };
}
