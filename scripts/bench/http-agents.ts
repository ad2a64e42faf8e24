// Agents that speak HTTP and only wait: each has a request for its next message open, takes the job that it gets, and
// reports at once that it is done.
import { AGENT_HTTP_PATH, LONGEST_WAIT_S, SESSION_HEADER } from '#/contract/agent-http.ts';
import { openRequester } from './requester.ts';

/** How many say hello at a time. */
const GREETING = 200;

export interface WaitingAgents {
  /** Resolves when every agent has got a job; and when the end of each is confirmed. */
  allHanded: () => Promise<void>;
  allDone: () => Promise<void>;
  close(): void;
}

/** Connects one agent for each key to `url`. */
export async function connectHttpAgents(url: string, keys: string[]): Promise<WaitingAgents> {
  const requester = openRequester(url + AGENT_HTTP_PATH);
  const { ask } = requester;
  const closing = new AbortController();
  const counts = { handed: 0, done: 0 };
  const reached = { handed: Promise.withResolvers<void>(), done: Promise.withResolvers<void>() };
  const count = (what: keyof typeof counts) => {
    counts[what] += 1;
    if (counts[what] === keys.length) reached[what].resolve();
  };

  const wait = async (headers: Record<string, string>) => {
    while (!closing.signal.aborted) {
      const { status, text } = await ask('GET', `/next?wait=${LONGEST_WAIT_S}`, headers);
      const job = /^job (\S+)/.exec(text)?.[1];
      if (status !== 204 && job === undefined) throw new Error(`An agent was answered ${status} ${text}`);
      if (job === undefined) continue;
      count('handed');
      await ask('POST', `/job/${job}/taken`, headers);
      const { text: end } = await ask('POST', `/job/${job}/ended?exit=0`, headers);
      if (end === 'ok\n') count('done');
    }
  };

  let failed: (cause: unknown) => void = () => {};
  const failure = new Promise<never>((_, reject) => (failed = reject));
  failure.catch(() => {});
  let next = 0;
  const greet = async () => {
    for (let number = next++; number < keys.length; number = next++) {
      const headers = { Authorization: `Bearer ${keys[number]}` };
      const { text } = await ask(
        'POST',
        '/hello',
        headers,
        `agent=bench\nkind=sh\nhostname=bench-${number}\nos=bench\n`,
      );
      const session = /^session (\d+)/.exec(text)?.[1] ?? '';
      wait({ ...headers, [SESSION_HEADER]: session }).catch((cause: unknown) => {
        if (!closing.signal.aborted) failed(cause);
      });
    }
  };
  await Promise.race([Promise.all(Array.from({ length: GREETING }, greet)), failure]);
  return {
    allHanded: () => Promise.race([reached.handed.promise, failure]),
    allDone: () => Promise.race([reached.done.promise, failure]),
    close: () => {
      closing.abort();
      requester.close();
    },
  };
}
