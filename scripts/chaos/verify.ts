// The checks after a run: everything acknowledged exists, and every job ran once, in order, with all its output.
import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Artifact } from '#/contract/artifacts.ts';
import type { Job } from '#/contract/jobs.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import type { Jobs } from './scenario.ts';
import type { Client, Ledger } from './writer.ts';

/** One check; `wrong` names the violations. */
export interface Check {
  what: string;
  looked: number;
  wrong: string[];
}

export interface Expected {
  /** The output of each job. */
  stdout: string;
  /** Of each device, the file with the JobId of each run, in order. */
  effects: Map<string, string>;
  /** How many jobs may be Interrupted, by power cuts. */
  powerCuts: number;
  /** No job can have taken longer; NaN where clocks can't be compared. */
  longestMs: number;
}

const DRAIN_MS = 120_000;
const AT_ONCE = 8;

/** Waits until every acknowledged job has ended, or nothing changes for too long; returns the jobs. */
export async function drain(client: Client): Promise<Job[]> {
  const deadline = performance.now() + DRAIN_MS;
  for (;;) {
    const jobs = await client.read<Job[]>('/v1/job');
    if (jobs.every(({ EndTime }) => EndTime !== '') || performance.now() > deadline) return jobs;
    await sleep(250);
  }
}

export async function verify(client: Client, ledger: Ledger, jobs: Jobs, expected: Expected): Promise<Check[]> {
  return [
    ...(await checkDevices(client, ledger)),
    ...(await checkArtifacts(client, ledger)),
    ...(await checkJobs(client, ledger, jobs, expected)),
  ];
}

async function checkDevices(client: Client, ledger: Ledger): Promise<Check[]> {
  const found = new Map<string, string>();
  for (let page = 1; ; page += 1) {
    const { Devices } = await client.read<{ Devices: { DeviceId: string; CustomerName: string }[] }>(
      `/v1/devices/${page}/500`,
    );
    for (const { DeviceId, CustomerName } of Devices) found.set(DeviceId, CustomerName);
    if (Devices.length < 500) break;
  }
  const wrong = [...ledger.devices]
    .filter(([id, { possible }]) => !possible.has(found.get(id) ?? 'missing'))
    .map(([id, { confirmed }]) => `${id}: "${found.get(id) ?? 'missing'}" instead of "${confirmed}"`);
  return [
    { what: 'acknowledged devices and edits are there', looked: ledger.devices.size, wrong },
    {
      what: 'deleted devices stay deleted',
      looked: ledger.deletedDevices.size,
      wrong: [...ledger.deletedDevices].filter((id) => found.has(id)),
    },
  ];
}

async function checkArtifacts(client: Client, ledger: Ledger): Promise<Check[]> {
  const found = new Map((await client.read<Artifact[]>('/v1/artifact')).map((each) => [each.ArtifactId, each]));
  const wrong: string[] = [];
  for (const [id, sha256] of ledger.artifacts) {
    const link = /http[^']+\/download\/[^']+/.exec(found.get(id)?.Command ?? '')?.[0];
    const bytes = link === undefined ? undefined : await fetch(link).then((answer) => answer.arrayBuffer());
    if (!bytes || hash('sha256', new Uint8Array(bytes)) !== sha256) wrong.push(id);
  }
  return [
    { what: 'acknowledged artifacts download byte by byte', looked: ledger.artifacts.size, wrong },
    {
      what: 'deleted artifacts stay deleted',
      looked: ledger.deletedArtifacts.size,
      wrong: [...ledger.deletedArtifacts].filter((id) => found.has(id)),
    },
  ];
}

async function checkJobs(client: Client, ledger: Ledger, all: Jobs, expected: Expected): Promise<Check[]> {
  const { stdout, effects, powerCuts, longestMs } = expected;
  const jobs: Job[] = [];
  for (let from = 0; from < ledger.jobs.length; from += AT_ONCE)
    jobs.push(
      ...(await Promise.all(
        ledger.jobs.slice(from, from + AT_ONCE).map(({ id }) => client.read<Job>(`/v1/job/${id}`)),
      )),
    );
  const nameOf = (job: Job) =>
    `${job.JobName} (${job.JobId}): ${job.Status} ${job.Result.replaceAll('\n', ' ').slice(0, 200)}`;
  const interrupted = [...all.listed, ...all.children].filter(
    ({ Status, DeviceId }) => Status === 'Interrupted' && DeviceId !== '',
  );
  const named = new Set(ledger.jobs.map(({ name }) => name));
  const submitted = all.listed.map(({ JobName }) => JobName).filter((name) => named.has(name));
  const durationOf = ({ StartTime, EndTime }: Job) =>
    (parseTimestamp(EndTime)?.getTime() ?? Number.NaN) - (parseTimestamp(StartTime)?.getTime() ?? Number.NaN);

  const twice: string[] = [];
  const disordered: string[] = [];
  const unrun: string[] = [];
  for (const [deviceId, file] of effects) {
    const ran = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
    const own = ledger.jobs.filter((job) => job.deviceId === deviceId).map(({ id }) => id);
    twice.push(...ran.filter((id, index) => ran.indexOf(id) !== index));
    const known = ran.filter((id) => own.includes(id));
    if (known.join() !== own.filter((id) => known.includes(id)).join()) disordered.push(deviceId);
    unrun.push(...own.filter((id) => !ran.includes(id)));
  }
  const ended = jobs.filter(({ Status }) => Status === 'Succeeded');
  const succeeded = new Set(ended.map(({ JobId }) => JobId));
  return [
    {
      what: 'acknowledged jobs succeeded',
      looked: jobs.length,
      wrong: jobs.filter(({ Status }) => Status !== 'Succeeded' && Status !== 'Interrupted').map(nameOf),
    },
    {
      what: `no more jobs are Interrupted than the ${powerCuts} power cuts explain`,
      looked: interrupted.length,
      wrong: interrupted.slice(powerCuts).map(nameOf),
    },
    {
      what: 'no submission became two jobs',
      looked: submitted.length,
      wrong: submitted.filter((name, index) => submitted.indexOf(name) !== index),
    },
    { what: 'no job ran twice', looked: jobs.length, wrong: twice },
    {
      what: 'every job that succeeded did run',
      looked: ended.length,
      wrong: unrun.filter((id) => succeeded.has(id)),
    },
    { what: 'jobs ran in order of submission', looked: jobs.length, wrong: disordered },
    {
      what: 'output is whole',
      looked: ended.length,
      wrong: ended.filter((job) => job.Stdout !== stdout).map(nameOf),
    },
    ...(Number.isNaN(longestMs)
      ? []
      : [
          {
            what: 'no job lasted longer than the run',
            looked: ended.length,
            wrong: ended
              .filter((job) => !(durationOf(job) >= 0 && durationOf(job) <= longestMs))
              .map((job) => `${job.JobId}: ${job.StartTime} to ${job.EndTime}`),
          },
        ]),
  ];
}
