// Why an agent cannot be asked to do something. Apart from its problems, which the first table shows.
import { speaksHttp } from '#/contract/agent-http.ts';
import type { AgentUpdate, Device } from '#/contract/devices.ts';
import { problemWords } from './agent-words.ts';

const UP_TO_DATE = 'Up to date';
const WHY_NOT = new Map<string, string>(
  Object.entries({
    Current: UP_TO_DATE,
    Newer: 'Has run a newer agent than this service publishes',
    Waiting: 'Updates when its running job ends',
    Updating: 'Being updated',
    Unable: 'Cannot update itself: see its device page',
  } satisfies Record<Exclude<AgentUpdate, 'Available'>, string>),
);

/** Why the agent of a device cannot be asked to update itself; undefined if it can. */
export function whyNoUpdate({ AgentUpdate: update, AgentProblem: problem, DeviceStatus }: Device): string | undefined {
  if (update === undefined) return 'This service does not update agents';
  if (problem === 'TooOld' || problem === 'TooNew') return problemWords(problem);
  if (update === 'Current') return UP_TO_DATE;
  if (DeviceStatus === 'NotConnected') return 'Not connected yet';
  if (DeviceStatus !== 'Online') return 'Offline';
  if (update === 'Available') return undefined;
  return WHY_NOT.get(update) ?? 'Agent too old to update itself';
}

/** Why a device cannot take a new key over its connection; undefined if it can, at once or when it is Online again. */
export function whyNoRotation({ KeyRotation, KeyProblem, DeviceStatus }: Device): string | undefined {
  if (KeyRotation === undefined) return 'This service cannot send new keys';
  if (DeviceStatus === 'NotConnected') return 'It has never connected';
  if (DeviceStatus !== 'Online') return undefined;
  // What was sent and not taken can be sent again.
  return KeyRotation !== 'Sent' && KeyProblem ? KeyProblem : undefined;
}

/** How far a device is with its new key; undefined if it is to take none. */
export function rotationText({ KeyRotation, KeyProblem, DeviceStatus }: Device): string | undefined {
  if (!KeyRotation) return undefined;
  if (DeviceStatus !== 'Online') return 'Gets a new one when it is online again';
  if (KeyProblem) return `Not replaced: ${KeyProblem}`;
  return KeyRotation === 'Sent' ? 'Was sent a new one, and still uses the old one' : 'Is sent a new one';
}

/** Why the agent of a device can have no tunnels; undefined if it can. */
export const whyNoTunnels = ({ AgentVersion = '' }: Pick<Device, 'AgentVersion'>): string | undefined =>
  speaksHttp(AgentVersion) ? 'This agent runs jobs and reports facts, but has no tunnels.' : undefined;
