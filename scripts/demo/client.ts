// Requests to the API of the demo's service: as the account, with its token, or as a person, who signs in with a password.

export interface Client {
  call: <Answer>(method: string, path: string, body?: string | FormData, type?: string) => Promise<Answer>;
  /** The same with a body of JSON. */
  send: <Answer>(method: string, path: string, body: object) => Promise<Answer>;
}

/** `headers` are asked for each request; `answered` sees each answer. */
function openClient(
  address: string,
  headers: () => Promise<Record<string, string>>,
  answered: (response: Response) => void = () => {},
): Client {
  const call: Client['call'] = async <Answer>(
    method: string,
    path: string,
    body?: string | FormData,
    type?: string,
  ) => {
    const response = await fetch(address + path, {
      method,
      headers: { ...(await headers()), ...(type ? { 'content-type': type } : {}) },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    answered(response);
    return (text ? JSON.parse(text) : undefined) as Answer;
  };
  return { call, send: (method, path, body) => call(method, path, JSON.stringify(body), 'application/json') };
}

export const withToken = (address: string, token: string): Client =>
  openClient(address, async () => ({ authorization: `Bearer ${token}` }));

/** A session ends when it was not used for half a day. */
const SESSION_MS = 11 * 60 * 60 * 1000;

/** A person with a browser, who signs in again whenever the session has ended. */
export function asPerson(
  { address, origin, now }: { address: string; origin: string; now: () => number },
  credentials: { Email: string; Password: string },
): Client {
  let cookie = '';
  let used = -Infinity;
  const keep = (response: Response) => {
    used = now();
    const [set] = response.headers.getSetCookie();
    if (set !== undefined) cookie = set.split(';')[0] ?? '';
  };
  const anonymous = openClient(address, async () => ({ origin }), keep);
  let signingIn: Promise<unknown> | undefined;
  return openClient(
    address,
    async () => {
      // Requests that are sent together share one session.
      if (now() - used > SESSION_MS)
        await (signingIn ??= anonymous
          .send('POST', '/auth/session', credentials)
          .finally(() => (signingIn = undefined)));
      return { origin, cookie };
    },
    keep,
  );
}
