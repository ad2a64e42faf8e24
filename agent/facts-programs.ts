// Facts from programs in the folder `facts.d` of the agent's data folder: each executable prints lines `name=value`.
import { spawn } from 'node:child_process';
import { lstatSync, readdirSync, type Stats } from 'node:fs';
import path from 'node:path';
import type { FactReport } from './facts.ts';

/** Most programs, how long each may run, and how much it may print. */
const MOST_PROGRAMS = 50;
const TIME_LIMIT_MS = 5_000;
const OUTPUT_LIMIT = 64 * 1024;
/** Programs that run at a time. */
const AT_ONCE = 4;

export interface ProgramLimits {
  timeLimitMs?: number;
  /** Whether the agent runs as root. */
  isRoot?: boolean;
}

/** Why root must not run a file that others could have written; undefined if it may. */
const whyUnsafe = ({ uid, mode }: Pick<Stats, 'uid' | 'mode'>): string | undefined => {
  if (uid !== 0) return 'belongs to another user than root';
  return (mode & 0o022) === 0 ? undefined : 'can be written by others than root';
};

interface Found {
  programs: string[];
  problems: string[];
}

/** The executable files of the folder by name. Links, hidden files and what is not executable are not run. */
function programsIn(folder: string, isRoot: boolean): Found {
  let names: string[];
  try {
    const unsafe = isRoot ? whyUnsafe(lstatSync(folder)) : undefined;
    names = readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .toSorted();
    if (unsafe !== undefined && names.length > 0)
      return { programs: [], problems: [`facts.d ${unsafe}: nothing in it is run`] };
  } catch {
    return { programs: [], problems: [] }; // there is none
  }
  const found: Found = { programs: [], problems: [] };
  for (const name of names) {
    const stats = lstatSync(path.join(folder, name), { throwIfNoEntry: false });
    if (!stats || stats.isDirectory()) continue;
    const unsafe = isRoot ? whyUnsafe(stats) : undefined;
    if (!stats.isFile()) found.problems.push(`${name} is not a file: links are not run`);
    else if ((stats.mode & 0o111) === 0) found.problems.push(`${name} is not executable`);
    else if (unsafe !== undefined) found.problems.push(`${name} ${unsafe}: it is not run`);
    else if (found.programs.length >= MOST_PROGRAMS)
      found.problems.push(`${name} is not run: at most ${MOST_PROGRAMS} programs are`);
    else found.programs.push(name);
  }
  return found;
}

/** The lines of an output that are facts; empty lines and those that begin with # are skipped. */
export function readFacts(program: string, output: string): FactReport {
  const report: FactReport = { facts: [], problems: [] };
  for (const [at, line] of output.split('\n').entries()) {
    const text = line.replace(/\r$/, '');
    if (text.trim() === '' || text.startsWith('#')) continue;
    const [, name, value] = /^([^=\s]+)=(.*)$/.exec(text) ?? [];
    if (name !== undefined && value !== undefined) report.facts.push({ name, value });
    else report.problems.push(`${program}: line ${at + 1} is not name=value`);
  }
  return report;
}

/** Runs one program; its process group is killed when it takes too long or prints too much. */
function runProgram(file: string, timeLimitMs: number): Promise<FactReport> {
  const name = path.basename(file);
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    let size = 0;
    const child = spawn(file, [], { cwd: '/', detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let isOver = false;
    const finish = (report: FactReport) => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      child.stdout.destroy();
      child.stderr.destroy();
      if (child.pid !== undefined)
        try {
          process.kill(-child.pid, 'SIGKILL');
        } catch {
          // They have all ended.
        }
      resolve(report);
    };
    const fail = (problem: string) => finish({ facts: [], problems: [`${name} ${problem}`] });
    const timer = setTimeout(() => fail(`took longer than ${timeLimitMs / 1000} s`), timeLimitMs);
    let said = '';
    child.stderr.on('data', (part: Buffer) => (said = said || (part.toString().trim().split('\n')[0] ?? '')));
    child.stdout.on('data', (part: Buffer) => {
      parts.push(part);
      size += part.length;
      if (size > OUTPUT_LIMIT) fail(`printed more than ${OUTPUT_LIMIT / 1024} kB`);
    });
    child.on('error', (error) => fail(`could not be started: ${error.message}`));
    child.on('close', (code, signal) => {
      if (code === 0) finish(readFacts(name, Buffer.concat(parts).toString()));
      else
        fail(
          `${signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`}${said === '' ? '' : `: ${said.slice(0, 120)}`}`,
        );
    });
  });
}

/** What all programs print, in the order of their names. A failing one does not affect the others. */
export async function programFacts(
  folder: string,
  { timeLimitMs = TIME_LIMIT_MS, isRoot = process.getuid?.() === 0 }: ProgramLimits = {},
): Promise<FactReport> {
  const { programs, problems } = programsIn(folder, isRoot);
  const reports: FactReport[] = [];
  for (let start = 0; start < programs.length; start += AT_ONCE)
    reports.push(
      ...(await Promise.all(
        programs.slice(start, start + AT_ONCE).map((name) => runProgram(path.join(folder, name), timeLimitMs)),
      )),
    );
  return {
    facts: reports.flatMap(({ facts }) => facts),
    problems: [...problems, ...reports.flatMap((report) => report.problems)],
  };
}
