// Whether a token is valid for a /v1 service, from its answer to GET /v1/account. The gateway checks it for the browser; on a
// static host the browser checks it itself, and says the same. Separate from the schemas, which load after the sign-in page.
import { isPage, readRefusal } from '#/contract/refusal.ts';

export const ACCOUNT_PATH = '/v1/account';

/** What is wrong, in one line, and what to do about it. `status`: the status with which the gateway answers the browser. */
export interface SignInFault {
  status: number;
  title: string;
  detail: string;
}

const FIELDS = ['UserEmail', 'PlanMaxDeviceLimit', 'NumDevicesAdded'];

/** Reads the response of the service at `host`: an account, or why there is none. `wait`: its Retry-After in seconds. */
export function readAccountAnswer(
  host: string,
  status: number,
  body: string,
  wait?: number,
): { email: string } | { fault: SignInFault } {
  const fault = (code: number, title: string, detail: string) => ({ fault: { status: code, title, detail } });
  const text = readRefusal(body).detail;
  const quoted = text ? ` It says: ${text}` : '';
  if (status === 401 || status === 403)
    return fault(
      401,
      `${host} refused this token`,
      `Check that you copied all of it and that it is still valid. Get a new one in that service’s web portal.${quoted}`,
    );
  if (status === 429 || status === 503)
    return fault(
      status,
      `${host} is too busy to check the token`,
      `Try again in ${wait ? `${Math.ceil(wait)} seconds` : 'a moment'}.${quoted}`,
    );
  if (status >= 500)
    return fault(502, `${host} failed while it checked the token (${status})`, `Try again later.${quoted}`);

  const elsewhere = 'The address may be that of a web portal or a proxy instead of the API.';
  const notThis = `${host} is not a /v1 device service`;
  if (isPage(body))
    return fault(502, notThis, `It answered GET ${ACCOUNT_PATH} with a web page (${status}). ${elsewhere}`);
  if (status < 200 || status > 299)
    return fault(502, notThis, `It answered GET ${ACCOUNT_PATH} with ${status}. ${elsewhere}${quoted}`);
  let account: unknown;
  try {
    account = JSON.parse(body);
  } catch {
    // Not JSON, so not an account.
  }
  if (typeof account !== 'object' || account === null || !FIELDS.some((name) => name in account))
    return fault(502, notThis, `It answered GET ${ACCOUNT_PATH} with something that is not an account. ${elsewhere}`);
  const { UserEmail } = account as { UserEmail?: unknown };
  return { email: typeof UserEmail === 'string' ? UserEmail : '' };
}
