// No request with a token leaves for another host: not from a page, a frame or a worker, in whichever context a test opens.
//
// Every context of the browser is watched from the moment it is made (`browser.on('context')`), and of each its requests, which
// Playwright reports for workers and redirects too. What goes to the service that the test started, or to where the test
// says that the token belongs, is left alone. Of everything else the headers are taken as they went over the wire,
// cookies included; one that holds the token, a Bearer of any kind or the cookie of a session fails the test, whatever
// the test itself was about. Requests that a test sends itself, from Node, are its own affair.
import type { Browser, BrowserContext, Request } from '@playwright/test';

export class TokenGuard {
  private readonly own = new Set<string>();
  private readonly looks: Promise<void>[] = [];
  private strays: string[] = [];
  private readonly token: string;

  constructor(token: string) {
    this.token = token;
  }

  /** A token may go there: to the service, or to the API that a dashboard on a file host talks to. */
  allow(url: string): void {
    this.own.add(new URL(url).origin);
  }

  /** Watches all contexts that the browser opens from now on; returns the way to stop. */
  watch(browser: Browser): () => void {
    const seen = (request: Request) => void this.looks.push(this.look(request));
    const opened = (context: BrowserContext) => void context.on('request', seen);
    browser.on('context', opened);
    return () => void browser.off('context', opened);
  }

  /** What went astray so far, and is forgotten now. */
  async take(): Promise<string[]> {
    await Promise.all(this.looks.splice(0));
    return this.strays.splice(0);
  }

  private async look(request: Request): Promise<void> {
    const { origin, protocol } = new URL(request.url());
    if (!/^(https?|wss?):$/.test(protocol) || this.own.has(origin)) return;
    // Before it is sent the browser has not told all of them; a context that closes meanwhile never will.
    const headers = await request.allHeaders().catch(() => request.headers());
    const { authorization = '', cookie = '' } = headers;
    const carried = [
      /^bearer/i.test(authorization) && 'a Bearer',
      /(^|;\s*)(__Host-)?muster_\w+=/.test(cookie) && 'the cookie of a session',
      [request.url(), request.postData() ?? '', ...Object.values(headers)].some((text) => text.includes(this.token)) &&
        'the token',
    ].filter((what) => what !== false);
    if (carried.length > 0) this.strays.push(`${carried.join(' and ')} to ${origin}${new URL(request.url()).pathname}`);
  }
}
