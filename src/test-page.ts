// What every component test uses: a real service of its own in this process, and the dashboard on one of its pages, without
// a browser (scripts/components/dom.ts). A test fails on any console error, as the end-to-end tests do.
import assert from 'node:assert/strict';
import { mock, type TestContext } from 'node:test';
import { notifications } from '@mantine/notifications';
import { configure, screen, waitFor } from '@testing-library/dom';
import axe from 'axe-core';
import { userEvent, type UserEvent } from '@testing-library/user-event';
import { createRoot } from 'react-dom/client';
import { host, type RunningService } from '../scripts/components/host.ts';
import { ServiceCalls } from '../scripts/test-calls.ts';
import { noteIdempotency } from '#/api/idempotency.ts';
import { queryClient } from '#/api/query-client.ts';
import { acceptLink, currentSession, signIn, signOut } from '#/api/session.ts';
import type { Role } from '#/contract/permissions.ts';
import { openApp } from '#/routes.tsx';

// Long enough for a busy machine: nothing waits that long but a test that fails.
configure({ asyncUtilTimeout: 30_000 });

/** Answers a request of the page in place of the service; `ask` asks the service itself. */
type Answer = (ask: () => Promise<Response>, request: PageRequest) => Promise<Response>;
interface PageRequest {
  method: string;
  url: URL;
  headers: Headers;
  body: unknown;
}

// The dashboard is not built for these tests. After a silence it reads its own page, and looks for a newer build there.
const ENTRY = '<script type="module" src="/assets/index.js"></script>';
document.head.insertAdjacentHTML('beforeend', ENTRY);

/** The service of a test, with the calls that it sends without the page. */
class PageService extends ServiceCalls {
  readonly cookies = new Map<string, string>();
  readonly answers: { path: RegExp; answer: Answer }[] = [{ path: /^\/$/, answer: async () => new Response(ENTRY) }];
  readonly running: RunningService;

  constructor(running: RunningService) {
    super();
    this.running = running;
  }

  get url(): string {
    return this.running.url;
  }

  get token(): string {
    return this.running.token ?? '';
  }
}

let current: PageService | undefined;
const send = globalThis.fetch;

/** A request of the page, as the browser sends it: to the page's own host, with its cookies. */
globalThis.fetch = async (input, init = {}) => {
  if (typeof input !== 'string' || !input.startsWith('/')) return send(input, init);
  if (!current) throw new TypeError('The test has ended, and its service with it');
  const { url, cookies, answers } = current;
  const headers = new Headers(init.headers);
  headers.set('origin', url);
  headers.set('cookie', [...cookies].map((pair) => pair.join('=')).join('; '));
  const ask = async () => {
    const answer = await send(url + input, { ...init, headers });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  const { answer } = answers.findLast(({ path }) => path.test(input)) ?? {};
  if (!answer) return ask();
  const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined;
  return answer(ask, { method: init.method ?? 'GET', url: new URL(url + input), headers, body });
};

export interface TestPage {
  service: PageService;
  user: UserEvent;
  /** Puts a text in place of what a field has. */
  fill: (field: Element, text: string) => Promise<void>;
  /** Opens a page as after a reload, signed in by the service's token unless somebody is already. */
  open: (path: string) => Promise<void>;
  /** Signs in as a new person with this role, in these groups or in all if none is named. */
  signInAs: (role: Role, ...groups: string[]) => Promise<void>;
  /** Lets `answer` answer the page's requests to paths that match, for what a real service cannot be made to say. */
  route: (path: RegExp, answer: Answer) => void;
}

/** A service and a browser for this test. */
export async function testPage(t: TestContext, env: Record<string, string> = {}): Promise<TestPage> {
  const errors = mock.method(console, 'error', () => {});
  const service = new PageService(await host.startService(env));
  current = service;
  let close = () => {};

  t.after(async () => {
    close();
    // Answered even where the test has ended the session: only then does the page forget everything before the next test.
    service.answers.push({ path: /^\/auth\/session$/, answer: async () => new Response(null, { status: 204 }) });
    await signOut();
    queryClient.clear();
    notifications.clean();
    localStorage.clear();
    sessionStorage.clear();
    document.body.replaceChildren();
    current = undefined;
    await service.running.end();
    errors.mock.restore();
    assert.deepEqual(
      errors.mock.calls.map((call) => String(call.arguments[0])),
      [],
      'errors on the console',
    );
  });

  const open = async (path: string) => {
    close();
    queryClient.clear();
    noteIdempotency(false); // a page that has just been opened does not know yet
    host.setAddress(service.url);
    // An entry of its own: a dialog that closes goes back to it.
    history.pushState(null, '', path);
    if (service.cookies.size === 0) await signIn({ Token: service.token });
    await currentSession();
    const container = document.createElement('div');
    document.body.replaceChildren(container);
    const root = createRoot(container);
    const app = await openApp();
    const { router } = app.props as { router: { dispose: () => void } };
    root.render(app);
    close = () => {
      root.unmount();
      router.dispose();
      close = () => {};
    };
  };

  // Typing by the real time would only wait.
  const user = userEvent.setup({ delay: null });
  return {
    service,
    user,
    fill: async (field, text) => {
      await user.clear(field);
      await user.click(field);
      if (text !== '') await user.paste(text);
    },
    open,
    signInAs: async (Role, ...Groups) => {
      const Email = `${[Role, ...Groups].join('-').toLowerCase()}@example.org`;
      const { InviteUrl } = await service.call<{ InviteUrl: string }>('POST', '/v1/people', {
        Email,
        Name: `The ${Role}`,
        Role,
        Groups,
      });
      service.cookies.clear();
      await acceptLink({ Code: InviteUrl.split('code=')[1] ?? '', Password: 'a pear tree in the rain' });
    },
    route: (path, answer) => service.answers.push({ path, answer }),
  };
}

/** Waits until the page is at this path with this search. */
export const expectAddress = (path: string): Promise<void> =>
  waitFor(() => assert.equal(location.pathname + location.search, path));

/** Waits until what `find` finds has this text. */
export const expectText = (find: () => Element, text: string | RegExp): Promise<void> =>
  waitFor(() => {
    const { textContent } = find();
    if (typeof text === 'string') assert.equal(textContent, text);
    else assert.match(textContent, text);
  });

/** Waits until the page has read all that it wanted to. */
export const expectRead = (): Promise<void> => waitFor(() => assert.equal(queryClient.isFetching(), 0));

/** Waits until nothing is found any more. Not by `assert.equal`: to print an element is to print the page, for minutes. */
export const expectGone = (find: () => Element | null): Promise<void> =>
  waitFor(() => assert.ok(find() === null, 'It is still there'));

/** Waits for a dialog, found by its name. */
export const dialogOf = (name: string | RegExp): Promise<HTMLElement> => screen.findByRole('dialog', { name });

/** No violation that axe finds, except in colours, which are not drawn here. */
export async function expectAccessible(): Promise<void> {
  const rules = { 'color-contrast': { enabled: false } };
  const { violations } = await axe.run(document, { resultTypes: ['violations'], rules });
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(' | ')}`);
  assert.deepEqual(found, []);
}
