// The agent as a program. `supervise`, `fetch` and `check` are its own doing: it starts itself again to run a job, and to
// download and check for it.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { runCheck } from './check-command.ts';
import { runFetch } from './fetch-command.ts';
import { jobPrograms } from './job-programs.ts';
import { HELP, INSTALL_VARIABLE, keepSettings, readOptions } from './options.ts';
import type { Settings } from './options.ts';
import { JobFolder } from './job-folder.ts';
import { supervise } from './supervise.ts';
import { UsageError } from './usage-error.ts';
import { AGENT_VERSION } from './version.ts';

const EXIT = { stopped: 0, cannotStart: 1, refused: 2, replaced: 3, updated: 4 } as const;
const [, program = ''] = process.argv;
const ownCommand = [process.execPath, ...process.execArgv, program];
const ownFolder = (data: string) => path.join(data, 'bin');

/** What a supervisor that failed had to say; its folder may be gone. */
const complaintsIn = (file: string): string => {
  try {
    return readFileSync(file, 'utf8').trim().slice(-500);
  } catch {
    return '';
  }
};

/** Starts a job's supervisor as a process that outlives this one. */
function launch(folder: JobFolder): Promise<string | undefined> {
  const [node = '', ...args] = ownCommand;
  const { DEVICE_KEY: _secret, MUSTER_JOB_ID: _job, ...env } = process.env;
  const complaints = folder.file('supervisor.log');
  const log = openSync(complaints, 'a', 0o600);
  try {
    const child = spawn(node, [...args, 'supervise', folder.folder], {
      cwd: '/',
      env,
      detached: true,
      stdio: ['ignore', log, log],
    });
    child.unref();
    return new Promise((resolve) => {
      child.on('error', (error) => resolve(error.message));
      child.on('exit', (code) => resolve(code === 0 ? undefined : complaintsIn(complaints)));
    });
  } finally {
    closeSync(log);
  }
}

async function runSupervisor(folder: string): Promise<void> {
  const stopping = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());
  const own = ownFolder(path.dirname(path.dirname(folder)));
  let programs = {};
  try {
    programs = jobPrograms(own, ownCommand);
  } catch {
    // A full disk: a Command then does without, and checks what it fetched by itself.
  }
  await supervise(new JobFolder(folder), programs, stopping.signal);
}

async function runAgent(settings: Settings): Promise<number> {
  // Loaded here and not above: a supervisor, which starts for each job, has no use for it.
  const { startAgent } = await import('./agent.ts');
  keepSettings(settings);
  for (const name of ['DEVICE_KEY', INSTALL_VARIABLE]) delete process.env[name];
  const installed = { program, install: settings.install };
  const agent = startAgent({ ...settings, launch, installed, log: (line) => console.log(line) });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void agent.stop());
  const { why, line } = await agent.ending;
  if (why !== 'stopped') console.error(line);
  // A connection that is kept open for more requests would delay the start of the new program.
  if (why === 'updated') {
    await agent.stop();
    process.exit(EXIT.updated);
  }
  return EXIT[why];
}

async function main(args: string[]): Promise<number> {
  if (args[0] === 'supervise' && args[1]) {
    await runSupervisor(args[1]);
    process.exit(EXIT.stopped); // the end is on disk: nothing that is still open matters
  }
  if (args[0] === 'fetch') return runFetch(args.slice(1));
  if (args[0] === 'check') return runCheck(args.slice(1));
  const options = readOptions(args, process.env);
  if (typeof options !== 'string') return runAgent(options);
  process.stdout.write(options === 'help' ? HELP : `${AGENT_VERSION}\n`);
  return EXIT.stopped;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const { message } = error as Error;
  console.error(error instanceof UsageError ? message : `The agent cannot start: ${message}`);
  process.exitCode = EXIT.cannotStart;
}
