// Runs one job's command and stores how it ended, in a separate process that outlives the agent: if the agent is
// killed, no job runs twice and no result is lost.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Stream } from '#/contract/agent-link.ts';
import { describeFault } from './durable.ts';
import type { JobEnd, JobFolder, JobRequest } from './job-folder.ts';
import { makePipes, OutputFile } from './output-file.ts';
import { TurnsWriter } from './output-turns.ts';
import { endProcesses, MARK_FD, MARK_FILE } from './processes.ts';
import { watchFolder } from './watch-folder.ts';

/** How long remaining processes may keep the output of a finished command open before the job ends without them. */
const LEFTOVER_GRACE_MS = 3000;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const USUAL_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

// A copy, because importing the contract's list would load its schema library in a process that starts for each job.
const STREAM_FILES: readonly Stream[] = ['stdout', 'stderr'];

/** Environment variables for a Command: programs that download and check for it, and a folder for unpacked files. */
type Programs = Partial<Record<'MUSTER_FETCH' | 'MUSTER_CHECK' | 'MUSTER_TEMP', string>>;

/** A word of a shell command. */
export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Writes the programs for Commands, which run this agent, and returns their paths. `command` starts the agent. */
export function jobPrograms(folder: string, command: string[]): { MUSTER_FETCH: string; MUSTER_CHECK: string } {
  const write = (name: string) => {
    const program = path.join(folder, `muster-${name}`);
    const text = `#!/bin/sh\nexec ${command.map(quote).join(' ')} ${name} "$@"\n`;
    if (!existsSync(program) || readFileSync(program, 'utf8') !== text) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // Renamed into place, because a running job may be using the old file.
      const draft = `${program}.${process.pid}`;
      writeFileSync(draft, text, { mode: 0o755 });
      renameSync(draft, program);
    }
    return program;
  };
  return { MUSTER_FETCH: write('fetch'), MUSTER_CHECK: write('check') };
}

/** The environment of a command: the agent's without its secret, plus the job's id and programs. */
function environment(job: string, programs: Programs): NodeJS.ProcessEnv {
  // An agent that was started by a job must not pass on that job's variables.
  const { DEVICE_KEY: _secret, MUSTER_FETCH: _f, MUSTER_CHECK: _c, MUSTER_TEMP: _t, ...env } = process.env;
  return { ...env, PATH: env['PATH'] || USUAL_PATH, MUSTER_JOB_ID: job, ...programs };
}

const duration = (seconds: number) => (seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`);

/**
 * Runs the job in this folder to its end, unless another process has taken it. `stopping` fires when the device shuts
 * down.
 */
export async function supervise(folder: JobFolder, programs: Programs = {}, stopping?: AbortSignal): Promise<void> {
  const request = folder.request();
  if (!request || !folder.takeLock()) return;
  let end: JobEnd;
  try {
    end = await run(folder, request, programs, stopping);
  } catch (error) {
    const begun = folder.begun();
    end = {
      outcome: begun ? 'interrupted' : 'not-started',
      reason: `The agent could not run the command. ${describeFault(error, folder.folder)}`,
      ...(begun && { startedAt: begun.at }),
      endedAt: Date.now(),
    };
  }
  folder.removeTemp();
  await record(folder, end);
}

/**
 * Stores the end. On a full disk it keeps trying for a while, because only this process knows the end. If the folder is
 * deleted, the agent reports that instead.
 */
async function record(folder: JobFolder, end: JobEnd): Promise<void> {
  for (let triesLeft = 60; ; triesLeft -= 1)
    try {
      return folder.writeEnd(end);
    } catch (error) {
      if (!folder.exists()) return;
      if (triesLeft === 0) throw error;
      await sleep(1000);
    }
}

/** Linux takes no longer argument of a program; the NUL at its end counts. */
const LONGEST_ARGUMENT = 128 * 1024 - 1;

/** The arguments with which a shell runs this text, whatever it begins with and however long it is. */
function scriptOf(folder: JobFolder, command: string): string[] {
  if (Buffer.byteLength(command) <= LONGEST_ARGUMENT) return ['-c', '--', command];
  const file = folder.file('command');
  folder.withReserve(() => writeFileSync(file, command, { mode: 0o600 }));
  return [file];
}

/** Starts the command; rejects if that fails, in which case nothing runs. */
async function start(
  folder: JobFolder,
  request: JobRequest,
  streams: OutputFile[],
  programs: Programs,
): Promise<ChildProcess> {
  const mark = folder.withReserve(() => openSync(folder.file(MARK_FILE), 'w', 0o600));
  try {
    const outputs = streams.map((stream) => stream.writeEnd);
    const child = spawn('/bin/sh', scriptOf(folder, request.command), {
      cwd: folder.file('work'),
      env: environment(request.job, programs),
      detached: true, // a group of its own, so that a signal reaches all of it
      stdio: ['ignore', ...outputs, ...Array<'ignore'>(MARK_FD - outputs.length - 1).fill('ignore'), mark],
    });
    if (child.pid === undefined) await once(child, 'spawn'); // rejects with the error
    return child;
  } finally {
    closeSync(mark);
  }
}

async function run(
  folder: JobFolder,
  request: JobRequest,
  programs: Programs,
  stopping: AbortSignal | undefined,
): Promise<JobEnd> {
  if (folder.cancelAsked())
    return { outcome: 'cancelled', reason: 'Cancelled before it started.', endedAt: Date.now() };

  folder.withReserve(() => mkdirSync(folder.file('work'), { recursive: true, mode: 0o700 }));
  const temp = folder.makeTemp();
  const files = STREAM_FILES.map((stream) => folder.file(stream));
  await makePipes(files);
  const streams = files.map((file) => new OutputFile(file, request.outputLimit, () => folder.releaseReserve()));
  const [stdout, stderr] = streams;
  const turns = new TurnsWriter(folder.file('turns'), () => ({ stdout: stdout?.size ?? 0, stderr: stderr?.size ?? 0 }));
  for (const [index, stream] of STREAM_FILES.entries())
    if (streams[index]) streams[index].beforeWrite = () => turns.write(stream);
  let child: ChildProcess;
  try {
    child = await start(folder, request, streams, { ...programs, ...(temp !== undefined && { MUSTER_TEMP: temp }) });
  } catch (error) {
    for (const stream of streams) stream.close(false);
    turns.close();
    throw error;
  } finally {
    for (const stream of streams) stream.closeWriteEnd();
  }
  // From here on the command is running, and nothing may prevent its end from being stored.
  const exited = new Promise<number>((resolve) => {
    child.on('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
  });
  const silent = Promise.all(streams.map((stream) => stream.finished));
  const startedAt = Date.now();
  folder.writeBegun(startedAt);

  let stopped: Pick<JobEnd, 'outcome' | 'reason'> | undefined;
  let swept: Promise<void> | undefined;
  const halted = new Promise<void>((resolve) => {
    const halt = (why: NonNullable<typeof stopped>) => {
      if (stopped) return;
      stopped = why;
      swept = endProcesses(child.pid, { id: request.job, folder: folder.folder });
      void swept.then(resolve);
    };
    const limit = setTimeout(
      () =>
        halt({
          outcome: 'timed-out',
          reason: `Stopped: it ran longer than its limit of ${duration(request.timeLimitSeconds)}.`,
        }),
      Math.min(request.timeLimitSeconds * 1000, LONGEST_TIMER_MS),
    );
    const unwatch = watchFolder(folder.folder, () => {
      if (folder.cancelAsked()) halt({ outcome: 'cancelled', reason: 'Stopped on request.' });
      // Nothing can be stored any more, and nobody could stop the job. The agent reports this.
      else if (!folder.exists()) halt({ outcome: 'interrupted', reason: 'The folder of the job was deleted.' });
    });
    const shutDown = () => halt({ outcome: 'interrupted', reason: 'The device was shutting down.' });
    stopping?.addEventListener('abort', shutDown);
    child.once('exit', () => {
      clearTimeout(limit);
      unwatch();
      stopping?.removeEventListener('abort', shutDown);
    });
  });

  // A process stuck in the kernel survives SIGKILL; the job then ends without an exit code.
  const code = await Promise.race([exited, halted.then(() => sleep(500, undefined))]);
  const endedAt = Date.now();
  await swept;
  const grace = new AbortController();
  const leftBehind = await Promise.race([
    silent.then(() => false),
    sleep(stopped ? 200 : LEFTOVER_GRACE_MS, true, { signal: grace.signal }).catch(() => true),
  ]);
  grace.abort();
  for (const stream of streams) stream.close(leftBehind);
  turns.close();

  const faults = [stopped?.reason, ...streams.map((stream) => stream.fault)].filter((reason) => reason !== undefined);
  return {
    outcome: stopped?.outcome ?? 'exited',
    ...(typeof code === 'number' && { exitCode: code }),
    ...(faults.length > 0 && { reason: faults.join(' ') }),
    startedAt,
    endedAt,
  };
}
