// The way to speak with the service by plain HTTP requests, for agents that are too small for the WebSocket link: a
// shell with curl is enough. docs/agent-protocol.md describes it in full.
import type { Outcome } from '#/contract/agent-link.ts';
import { LONGEST_FACT } from '#/contract/fact-values.ts';

/** Path of all requests, below the service's address. */
export const AGENT_HTTP_PATH = '/agent/v1';

export const SESSION_HEADER = 'muster-session';

/** Longest time that a request for the next message may wait. */
export const LONGEST_WAIT_S = 55;
/** A device is Online while a request waits, and for this long after its last one. */
export const ONLINE_FOR_MS = 90_000;

/** Largest bodies; facts have the limit of a hello. */
export const MAX_HELLO = 64 * 1024;
export const MAX_OUTPUT = 256 * 1024;
export const MAX_REASON = 4 * 1024;

const MAX_JOBS = 1_000;

/** `how` of a job's end, for those that did not exit by themselves. */
export const HOW: ReadonlyMap<string, Outcome> = new Map([
  ['stopped', 'cancelled'],
  ['timeout', 'timed-out'],
  ['interrupted', 'interrupted'],
  ['refused', 'not-started'],
]);

export const isJobId = (text: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(text);

/** The kinds that an agent can give itself; `http` if it gives none. */
const KIND = /^[a-z0-9-]{1,16}$/;

export interface HttpHello {
  agentVersion: string;
  /** The service's address as the agent uses it, if it says so. */
  server: string | undefined;
  /** Jobs on its disk whose end the service has not confirmed. */
  jobs: string[];
  facts: ReadonlyMap<string, string>;
  /** Which lines are no facts, for people. */
  problems: string[];
}

/** The body of a hello is not as described; the message is for who writes an agent. */
export class UnreadableHello extends Error {
  override readonly name = 'UnreadableHello';
}

/**
 * Reads the lines `name=value` of a hello, or of a report of facts. A line that is wrong is left out, because a fact must not keep
 * a device from its service for ever. Only what decides about jobs has to be right.
 */
export function readHello(body: string): HttpHello {
  const facts = new Map<string, string>();
  const problems: string[] = [];
  const jobs: string[] = [];
  let server: string | undefined;
  for (const [index, line] of body.split('\n').entries()) {
    if (line.trim() === '') continue;
    const number = `Line ${index + 1}`;
    const refuse = (why: string) => new UnreadableHello(`${number} ${why}`);
    const [, name = '', encoded = ''] = /^([a-z0-9_.]{1,64})=(.*?)\r?$/.exec(line) ?? [];
    const value = decoded(encoded);
    if (name === '') problems.push(`${number} is left out: it is not name=value with a name of a-z, 0-9, "_" and "."`);
    else if (name === 'server' || name === 'job') {
      if (value === undefined) throw refuse('has a value that is not percent-encoded UTF-8');
      if (name === 'server') server = value;
      else if (!isJobId(value)) throw refuse('names no job');
      else jobs.push(value);
    } else if (value === undefined)
      problems.push(`${number} is left out: it has a value that is not percent-encoded UTF-8`);
    else facts.set(name, value.slice(0, LONGEST_FACT).toWellFormed().replaceAll('\u0000', '\ufffd'));
    if (jobs.length > MAX_JOBS) throw refuse(`is one job too many: ${MAX_JOBS} are allowed`);
  }
  return { agentVersion: versionOf(facts), server, jobs, facts, problems };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The version with the kind, as lists of devices show it: "1.4.0 (sh)". */
function versionOf(facts: ReadonlyMap<string, string>): string {
  const kind = facts.get('kind') ?? '';
  return `${(facts.get('agent') ?? '').slice(0, 200)} (${KIND.test(kind) ? kind : 'http'})`.trim();
}

/** Whether this AgentVersion is one of an agent that speaks HTTP, and thus has no tunnels. */
export const speaksHttp = (agentVersion: string): boolean => / ?\([a-z0-9-]{1,16}\)$/.test(agentVersion);
