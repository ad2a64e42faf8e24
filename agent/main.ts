// The agent as a program. It also runs itself as child processes: `supervise` runs a job, and `fetch` and `check`
// download and check its artifact.
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { runCheck } from './check-command.ts';
import { runFetch } from './fetch-command.ts';
import {
  ALLOW_VARIABLE,
  ENROL_VARIABLE,
  FACTS_EVERY_VARIABLE,
  HELP,
  INSTALL_VARIABLE,
  storeSettings,
  readOptions,
  type Settings,
} from './options.ts';
import { JobFolder } from './job-folder.ts';
import { jobPrograms, supervise } from './supervise.ts';
import { proxyFor } from './proxy.ts';
import { UsageError } from './usage-error.ts';
import { AGENT_VERSION } from './version.ts';

const EXIT = { stopped: 0, cannotStart: 1, refused: 2, replaced: 3, updated: 4 } as const;
const [, program = ''] = process.argv;
const ownCommand = [process.execPath, ...process.execArgv, program];
const ownFolder = (data: string) => path.join(data, 'bin');

/** The output of a failed supervisor, whose folder may have been deleted. */
const readErrors = (file: string): string => {
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
  const errorFile = folder.file('supervisor.log');
  const log = openSync(errorFile, 'a', 0o600);
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
      child.on('exit', (code) => resolve(code === 0 ? undefined : readErrors(errorFile)));
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
    // On a full disk, a Command works without these programs, and checks its download itself.
  }
  await supervise(new JobFolder(folder), programs, stopping.signal);
}

/** The key of this device: stored, or got with the enrolment key or a pairing code; undefined if the service refused that. */
async function ownKey({ server, key, data, enrolment, pair: isPaired }: Settings, log: (line: string) => void) {
  if (key !== undefined) {
    if (enrolment?.enrolKeyFile !== undefined) rmSync(enrolment.enrolKeyFile, { force: true });
    return key;
  }
  if (!enrolment && !isPaired) return undefined;
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const { enrol, EnrolmentRefused, pair } = await import('./enrol.ts');
  try {
    return await (enrolment ? enrol({ ...enrolment, server, data, log }) : pair({ server, data, log }));
  } catch (error) {
    if (!(error instanceof EnrolmentRefused)) throw error;
    console.error(error.message);
    return undefined;
  }
}

async function runAgent(settings: Settings): Promise<number> {
  // Imported lazily, because the supervisor that starts for each job does not need it.
  const { startAgent } = await import('./agent.ts');
  const factsEveryMs = Number(process.env[FACTS_EVERY_VARIABLE]) * 1000 || undefined;
  const own = ['DEVICE_KEY', ENROL_VARIABLE, INSTALL_VARIABLE, ALLOW_VARIABLE, FACTS_EVERY_VARIABLE];
  for (const name of own) delete process.env[name];
  const log = (line: string) => console.log(line);
  const proxy = proxyFor(new URL(settings.server));
  if (proxy) log(`The way to ${settings.server} leads through the proxy ${proxy.host}.`);
  const key = await ownKey(settings, log);
  if (key === undefined) return EXIT.refused;
  storeSettings({ ...settings, key });
  const installed = { program, install: settings.install };
  const agent = startAgent({ ...settings, key, launch, installed, factsEveryMs, log });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void agent.stop());
  const { why, line } = await agent.ending;
  if (why !== 'stopped') console.error(line);
  // Exits immediately, because a keep-alive connection would delay the start of the new program.
  if (why === 'updated') {
    await agent.stop();
    process.exit(EXIT.updated);
  }
  return EXIT[why];
}

async function main(args: string[]): Promise<number> {
  if (args[0] === 'supervise' && args[1]) {
    await runSupervisor(args[1]);
    process.exit(EXIT.stopped); // the end is on disk: open handles do not matter
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
