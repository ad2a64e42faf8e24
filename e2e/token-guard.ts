// Fails a test when a request with a token goes to another host, from a page, a frame or a worker of any context.
//
// Every context is watched from its creation (`browser.on('context')`). Playwright reports the requests of workers and
// redirects, too. Requests to the service of the test, and to hosts that the test allows, may hold the token. Of all others
// the headers are read as they were sent, cookies included: none may hold the token, a Bearer or the cookie of a session.
// Requests that a test sends from Node are not watched.
import type { Browser, BrowserContext, Request } from '@playwright/test';

export class TokenGuard {
  private readonly own = new Set<string>();
  private readonly checks: Promise<void>[] = [];
  private found: string[] = [];
  private token: string | undefined;

  /** The token that no other host may get. */
  protect(token: string): void {
    this.token = token;
  }

  /** A token may be sent there: to the service, or to the API of a dashboard on a file host. */
  allow(url: string): void {
    this.own.add(new URL(url).origin);
  }

  /** Watches all contexts that the browser opens from now on; returns a function that stops it. */
  watch(browser: Browser): () => void {
    const seen = (request: Request) => void this.checks.push(this.check(request));
    const opened = (context: BrowserContext) => void context.on('request', seen);
    browser.on('context', opened);
    return () => void browser.off('context', opened);
  }

  /** What was sent to other hosts since the last call. */
  async take(): Promise<string[]> {
    await Promise.all(this.checks.splice(0));
    return this.found.splice(0);
  }

  private async check(request: Request): Promise<void> {
    const { origin, protocol } = new URL(request.url());
    if (!/^(https?|wss?):$/.test(protocol) || this.own.has(origin)) return;
    // Some headers are known only after the request was sent, and never once its context is closed.
    const headers = await request.allHeaders().catch(() => request.headers());
    const { authorization = '', cookie = '' } = headers;
    const carried = [
      /^bearer/i.test(authorization) && 'a Bearer',
      /(^|;\s*)(__Host-)?muster_\w+=/.test(cookie) && 'the cookie of a session',
      this.token !== undefined &&
        [request.url(), request.postData() ?? '', ...Object.values(headers)].join('\n').includes(this.token) &&
        'the token',
    ].filter((what) => what !== false);
    if (carried.length > 0) this.found.push(`${carried.join(' and ')} to ${origin}${new URL(request.url()).pathname}`);
  }
}
