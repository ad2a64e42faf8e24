// The dashboard on a plain file host, without our service or gateway: the browser calls the API itself, with a token
// that only this page's memory has. The address is part of index.html, written by the build or deployment, and never
// taken from a link.
import { hideSecret } from '#/contract/mask-secrets.ts';
import { ApiError } from '#/api/api-error.ts';

const META = 'meta[name="muster-api"]';

/** Base URL of the API without a trailing slash; undefined if the page's own host has sessions. */
export const directAddress: string | undefined =
  typeof document === 'undefined'
    ? undefined
    : readAddress(document.querySelector<HTMLMetaElement>(META)?.content ?? '', location.origin);

/** Resolves the configured value: `same-origin`, or a URL. */
export function readAddress(named: string, page: string): string | undefined {
  const text = named.trim();
  if (text === '') return undefined;
  if (text === 'same-origin') return page;
  return text.replace(/\/+$/, '');
}

/** Whether a token may be sent there: over TLS, to this machine, or to the page's own origin. */
export function isSafeAddress(address: string, page: string): boolean {
  const url = URL.parse(address);
  if (!url || url.username || url.password || url.search || url.hash) return false;
  return (
    url.origin === page ||
    url.protocol === 'https:' ||
    (url.protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname))
  );
}

let held: { token: string; email: string } | undefined;

/** The owner of this page's token. */
export const tokenOwner = () => held;
export function hold(next: typeof held): void {
  if (next) hideSecret(next.token);
  held = next;
}

/** The URL and headers for a path. The token is sent to the API's address only. */
export function apiTarget(path: string, token = held?.token): { url: string; headers: Record<string, string> } {
  if (directAddress === undefined) return { url: path, headers: {} };
  if (!isSafeAddress(directAddress, location.origin))
    throw new ApiError('refused', 'The address of the API is not safe', {
      detail: `Nothing was sent to "${directAddress}": this dashboard was set up with an address that is not https.`,
    });
  if (token === undefined) throw new ApiError('refused', 'You are no longer signed in (401)', { status: 401 });
  return { url: directAddress + path, headers: { authorization: `Bearer ${token}` } };
}

export const networkError = () =>
  directAddress === undefined || URL.parse(directAddress)?.origin === location.origin
    ? new ApiError('network', 'The service cannot be reached', {
        detail: 'Check that it is running and that this computer is connected to it.',
      })
    : new ApiError('network', `${URL.parse(directAddress)?.host ?? directAddress} cannot be reached from this page`, {
        detail: `It may be down, its certificate may not be trusted (open ${directAddress} in a tab to check), or it may not allow pages of ${location.origin}. The browser does not say which.`,
      });
