// Lives the month before the demo, in seconds: the service runs with a clock that goes in steps, its agents come and go, and
// people and jobs do what they did. Nothing is written into the database by hand.
import type { DemoDevice } from './fleet.ts';
import { monthOf, startOf } from './month.ts';
import { changesOf } from './outages.ts';
import type { Change } from './outages.ts';
import { ScriptedAgents } from './scripted-agents.ts';
import type { Script } from './scripted-agents.ts';
import { COMMANDS } from './software.ts';
import type { Program } from './software.ts';
import { startSteppedService } from './stepped-service.ts';

const MINUTE = 60_000;
/** What nobody waits for is done at least this often: alerts are looked for, and rollouts carried on. */
const LONGEST_STEP = 30 * MINUTE;

/** From the end of this service to the start of the next one. Such a difference of clocks counts as none. */
const TAKEOVER_MS = 1_000;

export interface Seeded {
  /** Of the account. */
  token: string;
  devices: DemoDevice[];
  isOnline: (device: DemoDevice) => boolean;
  programs: ReadonlyMap<Program, string>;
}

interface SeedOptions {
  env: Record<string, string | undefined>;
  devices: number;
  scripts: string;
}

export async function seedMonth({ env, devices: total, scripts }: SeedOptions): Promise<Seeded> {
  const end = Math.floor(Date.now() / MINUTE) * MINUTE;
  const service = await startSteppedService(env, startOf(end));
  const token = env['AUTH_TOKEN'] ?? service.service.token;
  if (!token) throw new Error('A new service always has a token.');

  const programs = new Map<Program, string>();
  const script: Script = (device, command, nth) => {
    for (const [program, id] of programs) if (command.includes(id)) return program.goes(device, nth);
    const known = Object.values(COMMANDS).find((one) => one.command === command);
    return known ? known.goes(device) : { seconds: 1, exitCode: 0, stdout: '' };
  };
  const agents = new ScriptedAgents(service, script);
  const devices: DemoDevice[] = [];
  let changes: Change[] = [];
  const steps = monthOf({
    service,
    token,
    end,
    devices: total,
    scripts,
    added: (made) => {
      devices.push(...made);
      const from = service.now() + MINUTE;
      changes = [...changes, ...made.flatMap((device) => changesOf(device, { from, to: end }))].toSorted(
        (one, other) => one.at - other.at,
      );
    },
    uploaded: (id, program) => programs.set(program, id),
  });

  const takeDue = <Due extends { at: number }>(list: Due[]): Due[] => {
    const later = list.findIndex(({ at }) => at > service.now());
    return list.splice(0, later === -1 ? list.length : later);
  };
  let worked = -Infinity;
  while (service.now() < end) {
    const reports = agents.next();
    const next = Math.min(
      end,
      worked + LONGEST_STEP,
      steps[0]?.at ?? end,
      changes[0]?.at ?? end,
      // What ends within a minute is told together.
      reports === undefined ? end : Math.ceil(reports / MINUTE) * MINUTE,
    );
    if (next > service.now()) await service.stepTo(next);

    const moved = takeDue(changes);
    const of = (online: boolean) => moved.filter((change) => change.online === online).map(({ device }) => device);
    await agents.disconnect(of(false));
    await agents.connect(of(true));
    const hasReported = await agents.report();
    const due = takeDue(steps);
    for (const step of due) {
      await step.run();
      if (step.downUntil !== undefined) await service.stepTo(step.downUntil, { down: true });
    }
    if (hasReported || due.length > 0 || service.now() - worked >= LONGEST_STEP) {
      worked = service.now();
      await service.work();
      await service.settle();
    }
  }
  await service.work();
  // A moment ahead, so that the start of the service that takes over is no gap.
  await service.stepTo(Date.now() + TAKEOVER_MS);
  const online = new Set(devices.filter((device) => agents.isOnline(device)).map(({ id }) => id));
  agents.release();
  await service.service.close();
  return { token, devices, isOnline: ({ id }) => online.has(id), programs };
}
