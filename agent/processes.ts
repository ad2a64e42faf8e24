// Finds and ends processes that are not children of this one: supervisors of an earlier agent, and processes that a
// command left behind. Linux lists all of them in /proc; elsewhere only the process group is known.
import { readFileSync, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Identifies a process. The system reuses process ids, but not with the same start time and boot. */
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

/**
 * Fields 3, 5 and 22 of proc_pid_stat(5); the name before them may contain spaces and brackets. Read of the first thread,
 * because an emulator (qemu-user) makes up what a process reads of itself, but not that.
 */
function stat(pid: number): { state: string; group: number; born: string } | undefined {
  const text = read(`/proc/${pid}/task/${pid}/stat`);
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  return fields?.[0] && fields[19] ? { state: fields[0], group: Number(fields[2]), born: fields[19] } : undefined;
}

const boot = () => read('/proc/sys/kernel/random/boot_id')?.trim() ?? '';

/** The mark of this process. */
export const ownMark = (): ProcessMark => ({ pid: process.pid, born: stat(process.pid)?.born ?? '', boot: boot() });

/** Whether a process with this id exists. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return true;
}

/** Whether this process is still running; a zombie is not. */
export function isAlive(mark: ProcessMark): boolean {
  if (mark.boot !== boot()) return false;
  if (mark.born === '') return exists(mark.pid);
  const now = stat(mark.pid);
  return now !== undefined && now.born === mark.born && now.state !== 'Z' && now.state !== 'X';
}

/** The marks by which the processes of a job are found. */
interface JobMarks {
  /** The job's id, which is in the environment of each process. */
  id: string;
  /** The job's folder, in which each process has files open. */
  folder: string;
}

/** The environment entry of each process. */
const jobEntry = (id: string): string => `MUSTER_JOB_ID=${id}`;

/**
 * Each process of a job has a file in the job's folder open as this file descriptor. That survives a cleared
 * environment, a new session and redirected output. POSIX shells use 0 to 9, so no script uses it by accident.
 */
export const MARK_FD = 47;
export const MARK_FILE = 'mark';
const PIPE_FILES = ['stdout.pipe', 'stderr.pipe'];

const linkOf = (file: string): string | undefined => {
  try {
    return readlinkSync(file).replace(/ \(deleted\)$/, '');
  } catch {
    return undefined;
  }
};

/** The folder's path as /proc shows it, even if the folder was deleted. */
function realFolder(folder: string): string {
  try {
    return path.join(realpathSync(path.dirname(folder)), path.basename(folder));
  } catch {
    return folder;
  }
}

/**
 * The job's remaining processes: `-group` while the group has members, and each process outside it with a mark of the
 * job in its environment, as an open file, or as its output. A process that closes all files, leaves the group and
 * clears its environment counts as an independent service and is not found. Zombies are ignored, because some init
 * processes never reap them.
 */
function remainingProcesses(group: number | undefined, { id, folder }: JobMarks): number[] {
  const entry = jobEntry(id);
  const real = realFolder(folder);
  const mark = path.join(real, MARK_FILE);
  const pipes = new Set(PIPE_FILES.map((name) => path.join(real, name)));
  const isMarked = (pid: number) =>
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
    else if (isMarked(pid)) found.add(pid);
  }
  return [...found];
}

const signal = (pid: number, name: NodeJS.Signals) => {
  try {
    process.kill(pid, name);
  } catch {
    // The process ended in the meantime.
  }
};

/** How long processes may take to end after SIGTERM. */
const GRACE_MS = 3000;

/** Ends all processes of a job: with SIGTERM first, then with SIGKILL, until none are left. */
export async function endProcesses(group: number | undefined, job: JobMarks): Promise<void> {
  const deadline = performance.now() + GRACE_MS;
  const giveUpAt = deadline + GRACE_MS;
  let name: NodeJS.Signals = 'SIGTERM';
  const asked = new Set<number>();
  for (;;) {
    const targets = remainingProcesses(group, job);
    if (targets.length === 0) return;
    if (performance.now() >= giveUpAt) return; // stuck in the kernel: nothing can end it
    if (performance.now() >= deadline) name = 'SIGKILL';
    for (const pid of targets) {
      if (name === 'SIGTERM' && asked.has(pid)) continue;
      asked.add(pid);
      signal(pid, name);
    }
    await sleep(25);
  }
}
