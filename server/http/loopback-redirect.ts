// http://localhost:8080 and http://127.0.0.1:8080 are one service but two origins, of which only one may send changes.
// Page loads from the other one are redirected, so that the first change is not refused.
import type { Config } from '../config.ts';
import type { App } from './implement.ts';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Redirects page loads from one name of this machine to the other. Does nothing if PUBLIC_URL is set. */
export function loopbackRedirect(app: App, context: { config: Config; readonly publicUrl: string }): void {
  app.get('*', async (http, next) => {
    const own = context.config.publicUrl === undefined ? new URL(context.publicUrl) : undefined;
    const host = http.req.header('Host') ?? '';
    const asked = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
    const isOtherName =
      own &&
      asked &&
      asked.host !== own.host &&
      asked.port === own.port &&
      LOOPBACK.has(asked.hostname) &&
      LOOPBACK.has(own.hostname) &&
      (http.req.header('Accept') ?? '').includes('text/html');
    if (!isOtherName) return next();
    // Only the path comes from the request, and it begins with a slash, so that the target is always our own origin.
    const { pathname, search } = new URL(http.req.url);
    return http.redirect(`${own.origin}${pathname}${search}`, 307);
  });
}
