// Looking at and ending processes that are not our children: a supervisor that an earlier agent started, and whatever
// a command left behind. Linux tells all of it in /proc; elsewhere the process group has to do.
import { readFileSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process beyond mistake: numbers are given again, a number with its start time and boot is not. */
export interface ProcessMark {
  pid: number;
  born: string;
  boot: string;
}

const read = (file: string): string | undefined => {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined;
  }
};

/** Fields 3, 5 and 22 of proc_pid_stat(5); the name before them may hold blanks and brackets. */
function stat(pid: number): { state: string; group: number; born: string } | undefined {
  const text = read(`/proc/${pid}/stat`);
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields?.[0] && fields[19] ? { state: fields[0], group: Number(fields[2]), born: fields[19] } : undefined;
}

const boot = () => read('/proc/sys/kernel/random/boot_id')?.trim() ?? '';

/** The mark of this very process. */
export const ownMark = (): ProcessMark => ({ pid: process.pid, born: stat(process.pid)?.born ?? '', boot: boot() });

/** Whether there is a process of this number that can still act. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return true;
}

/** Whether that process still runs; one that ended and was not collected yet does not. */
export function isAlive(mark: ProcessMark): boolean {
  if (mark.boot !== boot()) return false;
  if (mark.born === '') return exists(mark.pid);
  const now = stat(mark.pid);
  return now !== undefined && now.born === mark.born && now.state !== 'Z' && now.state !== 'X';
}

/** A job as its processes carry it with them. */
interface JobMarks {
  /** The job's id, which each process has in its environment. */
  id: string;
  /** The job's folder, in which lie the files that each process has open. */
  folder: string;
}

/** The entry in the environment of a job's processes. */
const jobEntry = (id: string): string => `MUSTER_JOB_ID=${id}`;

/**
 * A file of the job's folder is open under this number in all that the job starts: it outlives an emptied environment, a
 * session of its own and redirected output. No script uses so high a number by accident: POSIX knows 0 to 9.
 */
export const MARK_FD = 47;
export const MARK_FILE = 'mark';
const PIPES = ['stdout.pipe', 'stderr.pipe'];

const linkOf = (file: string): string | undefined => {
  try {
    return readlinkSync(file).replace(/ \(deleted\)$/, '');
  } catch {
    return undefined;
  }
};

/** The folder as /proc names it; its own name counts even when it is gone. */
function realFolder(folder: string): string {
  try {
    return path.join(realpathSync(path.dirname(folder)), path.basename(folder));
  } catch {
    return folder;
  }
}

/**
 * What still runs of a job: `-group` while the group has a member, and each process that left it but carries a mark of
 * the job: in its environment, as an open file, or as where its output goes. What closes all files, leaves the group and
 * empties its environment is a service of its own and is not found. Processes that ended and wait to be collected don't
 * count: under a lazy init they stay for ever.
 */
function remains(group: number | undefined, { id, folder }: JobMarks): number[] {
  const entry = jobEntry(id);
  const real = realFolder(folder);
  const mark = path.join(real, MARK_FILE);
  const pipes = new Set(PIPES.map((name) => path.join(real, name)));
  const carries = (pid: number) =>
    read(`/proc/${pid}/environ`)?.split('\0').includes(entry) ||
    linkOf(`/proc/${pid}/fd/${MARK_FD}`) === mark ||
    [1, 2].some((fd) => pipes.has(linkOf(`/proc/${pid}/fd/${fd}`) ?? ''));
  let names: string[];
  try {
    names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return group !== undefined && exists(-group) ? [-group] : [];
  }
  const found = new Set<number>();
  for (const pid of names.map(Number)) {
    const one = stat(pid);
    if (!one || pid === process.pid || one.state === 'Z' || one.state === 'X') continue;
    if (one.group === group) found.add(-group);
    else if (carries(pid)) found.add(pid);
  }
  return [...found];
}

const signal = (pid: number, name: NodeJS.Signals) => {
  try {
    process.kill(pid, name);
  } catch {
    // It ended by itself in the meantime.
  }
};

/** How long processes may take to end by themselves when asked to. */
const GRACE_MS = 3000;

/** Ends a job's command with all it started: asks, waits, then kills, until nothing is left. */
export async function endTree(group: number | undefined, job: JobMarks): Promise<void> {
  const deadline = performance.now() + GRACE_MS;
  const insist = deadline + GRACE_MS;
  let name: NodeJS.Signals = 'SIGTERM';
  const asked = new Set<number>();
  for (;;) {
    const targets = remains(group, job);
    if (targets.length === 0) return;
    if (performance.now() >= insist) return; // Unkillable: stuck in the kernel. Nothing more can be done from here.
    if (performance.now() >= deadline) name = 'SIGKILL';
    for (const pid of targets) {
      if (name === 'SIGTERM' && asked.has(pid)) continue;
      asked.add(pid);
      signal(pid, name);
    }
    await sleep(25);
  }
}
