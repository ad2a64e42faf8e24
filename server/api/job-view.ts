// A job in the API's form: complete, as a child of a parent, or as a summary in a list.
import type { Stream } from '#/contract/agent-link.ts';
import type { ChildOutput } from '#/contract/job-outputs.ts';
import type { Job, jobEndpoints } from '#/contract/jobs.ts';
import type * as z from 'zod/mini';
import { printIsoTime, printJobTime, printSqlTime } from '#/contract/timestamps.ts';
import type { Reader } from '../store/database.ts';
import { outputSize, readOutput, readPart } from '../store/job-output.ts';
import type { OutputPart } from '../store/job-output.ts';
import { readParts } from '../store/output-parts.ts';
import { countsIn } from '../store/job-moves.ts';
import { countWaitingOffline } from '../store/jobs.ts';
import type { JobRow } from '../store/jobs.ts';
import { shiftedChildren } from '../store/rules.ts';

/** Lists show the beginning of a long command. */
const COMMAND_IN_LIST = 240;
/** The length of a child's Result; its Stdout and Stderr are complete. */
const RESULT_OF_CHILD = 4096;

const time = (at: number | null) => (at === null ? '' : printJobTime(new Date(at)));
const beginning = (text: string, length: number) => (text.length > length ? `${text.slice(0, length)}…` : text);

export type JobSource = { db: Reader };

/** The fields that all forms share. `isAlone` means that the job is not in a list. */
async function common({ db }: JobSource, row: JobRow, isAlone = false): Promise<Job> {
  const isParent = row.device_seq === null;
  const isOpen = row.ended === null;
  return {
    JobId: row.id,
    JobName: row.name,
    DeviceId: row.device_id,
    Command: row.command,
    StartTime: time(row.started),
    EndTime: time(row.ended),
    Result: row.result,
    Status: row.status,
    CreatedTime: printIsoTime(new Date(row.created)),
    ...(row.exit_code !== null && { ExitCode: row.exit_code }),
    ...((!isParent || row.device_name !== '') && { DeviceName: row.device_name }),
    ...(row.parent_id !== null && { ParentJobId: row.parent_id }),
    ...(!isParent && row.attempt > 1 && { Attempt: row.attempt }),
    ...(row.device_group !== null && { DeviceGroup: row.device_group }),
    ...(row.tag_id !== null && { TagId: row.tag_id }),
    ...(row.artifact_id !== null && { ArtifactId: row.artifact_id }),
    ...(row.workflow_id !== null && { WorkflowId: row.workflow_id }),
    ...(row.output_removed !== null && {
      OutputRemovedTime: printIsoTime(new Date(row.output_removed)),
      OutputRemovedBecause: row.output_removed_why,
    }),
    ...(row.archived !== null && { ArchivedTime: printIsoTime(new Date(row.archived)) }),
    ...((isOpen || row.stop_asked !== null) && {
      StopTime: row.stop_asked === null ? '' : printIsoTime(new Date(row.stop_asked)),
    }),
    // A thousand children of one parent would repeat it.
    ...((row.parent_id === null || isAlone) && row.rule_name !== null && { RuleName: row.rule_name }),
    ...(row.verdict !== null && {
      Verdict: row.verdict,
      VerdictBecause: row.verdict_because,
      ...(row.verdict_stream !== null && { VerdictStream: row.verdict_stream }),
      ...(row.verdict_line !== null && { VerdictLine: row.verdict_line }),
    }),
    ...(row.wave && { RolloutId: row.wave.rollout, Wave: row.wave.number, WaveCount: row.wave.count }),
    ...(isParent && { Counts: withoutZeros(countsIn(row)) }),
    ...(isParent &&
      row.judged > 0 && { VerdictCounts: withoutZeros(row.own?.verdicts ?? (await verdictCounts(db, row))) }),
    ...(row.parent_id === null && { Attempts: row.attempt }),
    ...(isParent && isOpen && { WaitingOffline: row.own?.waitingOffline ?? (await countWaitingOffline(db, row.seq)) }),
  };
}

/** The counts by status, corrected by the verdicts. */
async function verdictCounts(db: Reader, row: JobRow): Promise<Record<string, number>> {
  const counts = new Map(Object.entries<number>(countsIn(row)));
  for (const { status, verdict, jobs } of await shiftedChildren(db, row.seq)) {
    counts.set(status, (counts.get(status) ?? 0) - jobs);
    counts.set(verdict, (counts.get(verdict) ?? 0) + jobs);
  }
  return Object.fromEntries(counts);
}

const withoutZeros = (counts: Record<string, number>) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

/** For lists: without output, and with the beginnings of Command and Result. */
export async function summary(source: JobSource, row: JobRow): Promise<Job> {
  const shown = await common(source, row);
  return { ...shown, Command: beginning(shown.Command, COMMAND_IN_LIST) };
}

/** For lists across many devices: without the parts that a thousand children of one parent would repeat. */
export const brief = async (source: JobSource, row: JobRow): Promise<Job> => ({
  ...(await common(source, row)),
  Command: '',
  Result: '',
});

/** The state of a child, without the Command, which its parent has, and without output. */
export async function stateOnly(source: JobSource, row: JobRow): Promise<Omit<Job, 'Command' | 'Result'>> {
  const { Command: _, Result: __, ...shown } = await common(source, row);
  return shown;
}

/** The complete job. Its Result is Stdout, then Stderr, then the reason why it ended, if there is one. */
export async function full(source: JobSource, row: JobRow): Promise<Job> {
  const { db } = source;
  if (row.device_seq === null) return common(source, row, true);
  const stdout = await readOutput(db, row.seq, 'stdout');
  return fullWith(source, row, stdout, await readOutput(db, row.seq, 'stderr'));
}

/** The same for a job on one device whose output was already read. */
export const fullWith = async (source: JobSource, row: JobRow, ...output: [stdout: Buffer, stderr: Buffer]) =>
  withOutput(await common(source, row, true), row, ...output);

function withOutput(shown: Job, row: JobRow, ...output: [stdout: Buffer, stderr: Buffer]): Job {
  const [stdout, stderr] = [output[0].toString(), output[1].toString()];
  return { ...shown, Stdout: stdout, Stderr: stderr, Result: row.ended === null ? '' : resultOf(row, stdout, stderr) };
}

/** The most bytes of a stream in one response, which a browser can process between two frames. */
const PART_BYTES = 1024 * 1024;

/** A job without its output, and the next part of each stream after an offset. */
export async function partsFrom(
  source: JobSource,
  row: JobRow,
  asked: { stdout: number; stderr: number },
): Promise<z.output<typeof jobEndpoints.output.response>> {
  const shown = await common(source, row, true);
  const { db } = source;
  const over = row.ended !== null;
  const { stdout, stderr, pieces } = await readParts(db, row.seq, asked, { limit: PART_BYTES, over });
  const print = ({ bytes, from, next, size }: OutputPart) => ({
    Text: bytes.toString(),
    Offset: from,
    Next: next,
    Size: size,
  });
  return {
    Job: row.device_seq === null ? shown : { ...shown, Result: over ? reasonOf(row) : '' },
    Stdout: print(stdout),
    Stderr: print(stderr),
    ...(pieces && {
      Pieces: pieces.map(({ stream, from, next, text, at }) => ({
        Stream: stream,
        Offset: from,
        Next: next,
        Length: text.length,
        Time: printIsoTime(new Date(at)),
      })),
    }),
    More: stdout.more || stderr.more,
  };
}

/**
 * A child with at most the last `most` bytes of each stream, because errors are at the end. Its parent has the Command.
 */
export async function child(source: JobSource, row: JobRow, most: number | undefined): Promise<Job> {
  const { db } = source;
  const text = async (stream: Stream) => {
    const left = most === undefined ? 0 : Math.max(0, (await outputSize(db, row.seq, stream)) - most);
    const end = (await readOutput(db, row.seq, stream, left)).toString();
    return left === 0 ? end : `[muster] ${left} bytes left out here; GET /v1/job/${row.id} has all.\n${end}`;
  };
  const [stdout, stderr] = [await text('stdout'), await text('stderr')];
  const result = row.ended === null ? '' : beginning(resultOf(row, stdout, stderr), RESULT_OF_CHILD);
  return { ...(await common(source, row)), Command: '', Stdout: stdout, Stderr: stderr, Result: result };
}

/** The most bytes of a stream in a list of outputs. The last ones are kept, because errors are at the end. */
const OUTPUT_TAIL = 64 * 1024;

/** The ends of a child's streams, in complete characters, and the reason why it ended. */
export async function outputTails({ db }: JobSource, row: JobRow): Promise<ChildOutput> {
  const over = row.ended !== null;
  const tail = async (stream: Stream) => {
    const size = await outputSize(db, row.seq, stream);
    // A part may start up to three bytes earlier, at the start of a character.
    const asked = size > OUTPUT_TAIL ? size - OUTPUT_TAIL + 3 : 0;
    return (await readPart(db, row.seq, stream, { asked, limit: OUTPUT_TAIL, over })).bytes.toString();
  };
  return {
    JobId: row.id,
    Stdout: await tail('stdout'),
    Stderr: await tail('stderr'),
    Result: over ? reasonOf(row) : '',
  };
}

function resultOf(row: JobRow, stdout: string, stderr: string): string {
  const printed = stdout + stderr;
  const reason = reasonOf(row);
  return printed !== '' && reason !== '' && !printed.endsWith('\n') ? `${printed}\n${reason}` : printed + reason;
}

/** Why it ended, and why its output was removed. */
function reasonOf({ reason, output_removed: at, output_removed_why: why }: JobRow): string {
  if (at === null) return reason;
  const removed = `Its output was removed on ${printSqlTime(new Date(at))} UTC: ${why}.`;
  return reason === '' ? removed : `${reason}\n${removed}`;
}
