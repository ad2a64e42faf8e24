// Texts about a device's agent: its problem, and why it cannot be asked to update itself.
import { speaksHttp } from '#/contract/agent-http.ts';
import type { AgentProblem, AgentUpdate, Device } from '#/contract/devices.ts';

const PROBLEM_WORDS: Record<AgentProblem, string> = {
  TooOld: 'Agent too old',
  TooNew: 'Agent too new',
  UpdateFailed: 'Agent update failed',
};

const isProblem = (value: string | undefined): value is AgentProblem => value !== undefined && value in PROBLEM_WORDS;

/** Describes a kind of problem. An unknown one, of a newer service, is shown as it is. */
export const problemWords = (problem: string): string => (isProblem(problem) ? PROBLEM_WORDS[problem] : problem);

/** "Agent too old (0.0.9): update it"; undefined without a problem, or if the service does not report it. */
export function problemText({ AgentProblem: problem, AgentVersion }: Device): string | undefined {
  if (!problem) return undefined;
  const words = `${problemWords(problem)}${AgentVersion ? ` (${AgentVersion})` : ''}`;
  if (problem === 'TooOld') return `${words}: update it`;
  if (problem === 'TooNew') return `${words}: update the service`;
  return problem === 'UpdateFailed' ? `${PROBLEM_WORDS[problem]}, still running ${AgentVersion}` : words;
}

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
  if (problem === 'TooOld' || problem === 'TooNew') return PROBLEM_WORDS[problem];
  if (update === 'Current') return UP_TO_DATE;
  if (DeviceStatus !== 'Online') return 'Offline';
  if (update === 'Available') return undefined;
  return WHY_NOT.get(update) ?? 'Agent too old to update itself';
}

/** Why a device cannot take a new key over its connection; undefined if it can, at once or when it is Online again. */
export function whyNoRotation({ KeyRotation, KeyProblem, DeviceStatus, LastSeenTime }: Device): string | undefined {
  if (KeyRotation === undefined) return 'This service cannot send new keys';
  if (DeviceStatus !== 'Online') return LastSeenTime === '' ? 'It has never connected' : undefined;
  // What was sent and not taken can be sent again.
  return KeyRotation !== 'Sent' && KeyProblem ? KeyProblem : undefined;
}

/** How far a device is with its new key; undefined if it is to take none. */
export function rotationText({ KeyRotation, KeyProblem, DeviceStatus }: Device): string | undefined {
  if (!KeyRotation) return undefined;
  if (DeviceStatus !== 'Online') return 'Gets a new one when it is Online again';
  if (KeyProblem) return `Not replaced: ${KeyProblem}`;
  return KeyRotation === 'Sent' ? 'Was sent a new one, and still uses the old one' : 'Is sent a new one';
}

/** Why the agent of a device can have no tunnels; undefined if it can. */
export const whyNoTunnels = ({ AgentVersion = '' }: Pick<Device, 'AgentVersion'>): string | undefined =>
  speaksHttp(AgentVersion) ? 'This agent runs jobs and reports facts, but has no tunnels.' : undefined;
