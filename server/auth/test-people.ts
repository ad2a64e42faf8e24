// For tests: browsers of people, who accept invitations and sign in.
import assert from 'node:assert/strict';
import type { Invitation } from '#/contract/people.ts';
import type { OtpRecovery, OtpSetup } from '#/contract/sign-in.ts';
import type { TestService } from '../test-service.ts';
import { otpAt, otpStep } from './otp.ts';

export const PASSWORD = 'seven lamps in the hall';

/** A browser: stores one cookie and sends the origin of its page. */
export class PersonBrowser {
  cookie: string | undefined;
  private readonly url: string;

  constructor(url: string) {
    this.url = url;
  }

  async ask(method: string, at: string, body?: unknown, headers: Record<string, string> = {}): Promise<Response> {
    const response = await fetch(new URL(at, this.url), {
      method,
      headers: {
        ...(this.cookie !== undefined && { Cookie: this.cookie }),
        ...(method !== 'GET' && { Origin: this.url }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const set = response.headers.get('Set-Cookie');
    if (set) this.cookie = set.split(';')[0];
    return response;
  }

  /** The answer, which must be a success. */
  async get<Answer>(method: string, at: string, body?: unknown): Promise<Answer> {
    const response = await this.ask(method, at, body);
    const text = await response.text();
    assert.equal(response.status, 200, `${method} ${at}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as Answer;
  }

  signIn = (email: string, password = PASSWORD, otp?: string): Promise<Response> =>
    this.ask('POST', '/auth/session', { Email: email, Password: password, ...(otp !== undefined && { Otp: otp }) });
  isIn = async (): Promise<boolean> => (await this.ask('GET', '/v1/me')).status === 200;
}

export const codeOf = ({ InviteUrl }: Pick<Invitation, 'InviteUrl'>): string =>
  new URL(InviteUrl).hash.replace('#code=', '');

export async function invite(
  service: TestService,
  email: string,
  role = 'Viewer',
  groups: string[] = [],
): Promise<Invitation> {
  const response = await service.call('POST', '/v1/people', { Email: email, Name: '', Role: role, Groups: groups });
  const text = await response.text();
  assert.equal(response.status, 200, text);
  return JSON.parse(text) as Invitation;
}

/** A person who was invited and has accepted, in a browser of theirs. */
export async function join(
  service: TestService,
  email: string,
  role = 'Viewer',
  groups: string[] = [],
): Promise<PersonBrowser & { id: string }> {
  const invitation = await invite(service, email, role, groups);
  const browser = new PersonBrowser(service.url);
  await browser.get('POST', '/auth/accept', { Code: codeOf(invitation), Password: PASSWORD });
  return Object.assign(browser, { id: invitation.PersonId });
}

/** Sets up a second factor; the secret, and the recovery codes. */
export async function addSecondFactor(
  browser: PersonBrowser,
  now: number,
): Promise<{ secret: string; recovery: string[] }> {
  const { Secret, Setup } = await browser.get<OtpSetup>('POST', '/auth/otp/begin', { Password: PASSWORD });
  const Otp = otpAt(Secret, otpStep(now));
  const { RecoveryCodes } = await browser.get<OtpRecovery>('POST', '/auth/otp/confirm', { Setup, Otp });
  return { secret: Secret, recovery: RecoveryCodes };
}
