// A job as the API shows it: in full, as one of the children of a parent, or in the summary of a list.
import { STREAMS } from '#/contract/agent-link.ts';
import type { Stream } from '#/contract/agent-link.ts';
import type { Job, OutputPiece } from '#/contract/jobs.ts';
import { printIsoTime, printJobTime } from '#/contract/timestamps.ts';
import type { Context } from '../context.ts';
import { outputSize, readOutput, readPart } from '../store/job-output.ts';
import type { OutputPart } from '../store/job-output.ts';
import { countsOf } from '../store/job-moves.ts';
import type { JobRow } from '../store/jobs.ts';

/** Lists show the beginning of a long command. */
const COMMAND_IN_LIST = 240;
/** Children show this much of a Result; their Stdout and Stderr say all of it. */
const RESULT_OF_CHILD = 4096;

const time = (at: number | null) => (at === null ? '' : printJobTime(new Date(at)));
const beginning = (text: string, length: number) => (text.length > length ? `${text.slice(0, length)}…` : text);

/** Where a job is read from. */
export type JobSource = Pick<Context, 'db' | 'dispatch'>;

function common({ db, dispatch }: JobSource, row: JobRow): Job {
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
    ...(!isParent && { DeviceName: row.device_name }),
    ...(row.parent_id !== null && { ParentJobId: row.parent_id }),
    ...(row.device_group !== null && { DeviceGroup: row.device_group }),
    ...(row.tag_id !== null && { TagId: row.tag_id }),
    ...(row.artifact_id !== null && { ArtifactId: row.artifact_id }),
    ...(row.workflow_id !== null && { WorkflowId: row.workflow_id }),
    ...((isOpen || row.stop_asked !== null) && {
      StopTime: row.stop_asked === null ? '' : printIsoTime(new Date(row.stop_asked)),
    }),
    ...(isParent && { Counts: present(countsOf(db, row.seq)) }),
    ...(isParent && isOpen && { WaitingOffline: dispatch.waitingOffline(row.seq) }),
  };
}

const present = (counts: Record<string, number>) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));

/** For lists: no output, and of Command and Result how they begin. */
export function summary(source: JobSource, row: JobRow): Job {
  const shown = common(source, row);
  return { ...shown, Command: beginning(shown.Command, COMMAND_IN_LIST) };
}

/** For lists across many devices: nothing that a thousand children of one parent would repeat a thousand times. */
export const brief = (source: JobSource, row: JobRow): Job => ({ ...common(source, row), Command: '', Result: '' });

/** All of a job. Its Result is what it printed, Stdout before Stderr, and why it ended where that is not its own doing. */
export function full(source: JobSource, row: JobRow): Job {
  const { db } = source;
  const shown = common(source, row);
  if (row.device_seq === null) return shown;
  const [stdout = '', stderr = ''] = STREAMS.map((stream) => readOutput(db, row.seq, stream).toString());
  return { ...shown, Stdout: stdout, Stderr: stderr, Result: row.ended === null ? '' : resultOf(row, stdout, stderr) };
}

/** Most bytes of a stream in one answer: small enough that a browser reads it between two frames. */
const PIECE = 1024 * 1024;

/** A job without its output, and of each stream the piece that comes after an offset. */
export function piecesFrom(
  source: JobSource,
  row: JobRow,
  { stdout, stderr }: { stdout: number; stderr: number },
): { Job: Job; Stdout: OutputPiece; Stderr: OutputPiece; More: boolean } {
  const shown = common(source, row);
  const { db } = source;
  const over = row.ended !== null;
  const part = (stream: Stream, asked: number) => readPart(db, row.seq, stream, { asked, most: PIECE, over });
  const print = ({ bytes, from, next, size }: OutputPart) => ({
    Text: bytes.toString(),
    Offset: from,
    Next: next,
    Size: size,
  });
  const [out, error] = [part('stdout', stdout), part('stderr', stderr)];
  return {
    Job: row.device_seq === null ? shown : { ...shown, Result: over ? row.reason : '' },
    Stdout: print(out),
    Stderr: print(error),
    More: out.more || error.more,
  };
}

/** A child, with at most `most` bytes of each stream: the last ones, since what went wrong stands at the end. */
export function child(source: JobSource, row: JobRow, most: number | undefined): Job {
  const { db } = source;
  const [stdout = '', stderr = ''] = STREAMS.map((stream) => {
    const left = most === undefined ? 0 : Math.max(0, outputSize(db, row.seq, stream) - most);
    const text = readOutput(db, row.seq, stream, left).toString();
    return left === 0 ? text : `[muster] ${left} bytes left out here; GET /v1/job/${row.id} has all.\n${text}`;
  });
  const result = row.ended === null ? '' : beginning(resultOf(row, stdout, stderr), RESULT_OF_CHILD);
  return { ...common(source, row), Stdout: stdout, Stderr: stderr, Result: result };
}

function resultOf({ reason }: JobRow, stdout: string, stderr: string): string {
  const printed = stdout + stderr;
  return printed !== '' && reason !== '' && !printed.endsWith('\n') ? `${printed}\n${reason}` : printed + reason;
}
