// What a run does with the service while faults happen to it. Each scenario writes, remembers what was acknowledged, and
// at the end compares that with what the service answers once everything is quiet.
import type { Job } from '#/contract/jobs.ts';
import type { Device } from './devices.ts';
import type { Check } from './verify.ts';
import type { Client } from './writer.ts';

export interface Run {
  client: Client;
  /** Addresses of the service, or of each of its nodes, without the relay. */
  urls: string[];
  token: string;
  isOver: () => boolean;
  random: () => number;
  /** Devices whose jobs come from the scenarios, all in the group FLEET. */
  fleet: Device[];
  /** To which the jobs of the fleet add a line when they start and when they end, in the order in which that happened. */
  log: string;
}

export interface Scenario {
  /** Writes until the run is over. */
  write: () => Promise<void>;
  /** Finishes what has begun: does what an operator would do until nothing is open any more. */
  settle?: () => Promise<void>;
  check: (jobs: Jobs) => Check[] | Promise<Check[]>;
  close?: () => Promise<void>;
}

/** All jobs of the account when everything has ended: those of the list, and the children of each. */
export interface Jobs {
  listed: Job[];
  children: Job[];
}

export const FLEET = 'fleet';
export const PAUSE_MS = 300;
/** How long what a scenario has begun may take once all faults are over. */
export const SETTLE_MS = 120_000;

export async function readJobs(client: Client): Promise<Jobs> {
  const listed = await client.read<Job[]>('/v1/job');
  const children: Job[] = [];
  for (const { JobId, Counts } of listed)
    if (Counts !== undefined) children.push(...(await client.read<Job[]>(`/v1/job/${JobId}/childjobs`)));
  return { listed, children };
}

/** A command that writes its start and its end to the fleet's log, and to the device's own file as all jobs do. */
export const logged = (command: string): string =>
  `echo "$MUSTER_JOB_ID" >> "$EFFECTS"; echo "start $MUSTER_JOB_ID" >> "$FLEET_LOG"; ${command}; echo "end $MUSTER_JOB_ID" >> "$FLEET_LOG"`;
