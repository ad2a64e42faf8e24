// http://localhost:8080 and http://127.0.0.1:8080 are one service but two origins, and only one of them is the service's
// own. Somebody who types the other one is sent on, instead of being refused at the first change.
import type { Config } from '../config.ts';
import type { App } from './implement.ts';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Sends page loads from one name of this machine to the other. A PUBLIC_URL that was set is left alone. */
export function loopbackRedirect(app: App, context: { config: Config; readonly publicUrl: string }): void {
  app.get('*', async (http, next) => {
    const own = context.config.publicUrl === undefined ? new URL(context.publicUrl) : undefined;
    const host = http.req.header('Host') ?? '';
    const asked = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined;
    const astray =
      own &&
      asked &&
      asked.host !== own.host &&
      asked.port === own.port &&
      LOOPBACK.has(asked.hostname) &&
      LOOPBACK.has(own.hostname) &&
      (http.req.header('Accept') ?? '').includes('text/html');
    if (!astray) return next();
    // Only the path is taken from the request, and it begins with a slash: the answer cannot lead anywhere else.
    const { pathname, search } = new URL(http.req.url);
    return http.redirect(`${own.origin}${pathname}${search}`, 307);
  });
}
