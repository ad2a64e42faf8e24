// Reads how people sign in at an identity provider, and which roles its claims give.
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';
import { ROLES } from '#/contract/permissions.ts';
import { ConfigError } from './config-error.ts';

/** `Claim`: a value of the role's claim, or "*" for everybody. */
const entries = z.array(
  z.strictObject({
    Claim: z.string().check(z.minLength(1, 'must not be empty')),
    Role: z.enum(ROLES),
    Groups: z.optional(z.array(z.string().check(z.minLength(1, 'must not be empty')))),
    /** The id of the account; without it, the first one. */
    Account: z.optional(z.string().check(z.regex(/^[1-9]\d{0,14}$/, 'must be the id of an account'))),
  }),
);
export type RoleEntry = z.output<typeof entries>[number];

export interface OidcConfig {
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** The claim whose values give roles. */
  claim: string;
  /** The first entry that matches counts. */
  roles: RoleEntry[];
  /** What the sign-in page calls the provider. */
  name: string;
}

const NAMES = new Map(
  Object.entries<string>({ 'login.microsoftonline.com': 'Microsoft', 'accounts.google.com': 'Google' }),
);

const OTHERS = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_ROLE_CLAIM', 'OIDC_ROLES', 'OIDC_ROLES_FILE'];

/** @param value a setting, or undefined where it is empty */
export function readOidcConfig(value: (name: string) => string | undefined): OidcConfig | undefined {
  const issuer = value('OIDC_ISSUER');
  if (issuer === undefined) {
    const alone = OTHERS.find((name) => value(name) !== undefined);
    if (alone === undefined) return undefined;
    throw new ConfigError(`${alone} is set, but OIDC_ISSUER is not: it names the identity provider.`);
  }
  if (value('UPSTREAM_URL') !== undefined)
    throw new ConfigError(
      'OIDC_ISSUER is set, but a gateway has no people of its own: tokens of the other service sign in.',
    );
  const required = (name: string, what: string) => {
    const text = value(name);
    if (text === undefined) throw new ConfigError(`OIDC_ISSUER is set, but ${name} is not: ${what}.`);
    return text;
  };
  const host = readIssuer(issuer).host;
  return {
    issuer,
    clientId: required('OIDC_CLIENT_ID', 'it is the id that the provider gave this service'),
    clientSecret: required('OIDC_CLIENT_SECRET', 'it proves to the provider that this service asks'),
    claim: value('OIDC_ROLE_CLAIM') ?? 'groups',
    roles: readRoles(value('OIDC_ROLES'), value('OIDC_ROLES_FILE')),
    name: NAMES.get(host) ?? host,
  };
}

export const isLoopback = ({ hostname }: URL): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);

function readIssuer(text: string): URL {
  const url = URL.parse(text);
  const isPlain = url && !url.search && !url.hash && !url.username && !url.password;
  if (!isPlain || !(url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))))
    throw new ConfigError(
      `OIDC_ISSUER is "${text}", but it must be the https address of an identity provider, like https://login.example.com/realms/plant. Only a provider on this machine may have http.`,
    );
  return url;
}

function readRoles(text: string | undefined, file: string | undefined): RoleEntry[] {
  if (text !== undefined && file !== undefined)
    throw new ConfigError('OIDC_ROLES and OIDC_ROLES_FILE are both set, but only one of them can hold.');
  if (text === undefined && file === undefined)
    throw new ConfigError(
      'OIDC_ISSUER is set, but neither OIDC_ROLES nor OIDC_ROLES_FILE is: without a role, nobody can sign in. [{"Claim":"*","Role":"Viewer"}] lets everybody read.',
    );
  const name = text === undefined ? 'OIDC_ROLES_FILE' : 'OIDC_ROLES';
  const json = text ?? readFile(file ?? '');
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch (cause) {
    throw new ConfigError(`${name} is no JSON: ${cause instanceof Error ? cause.message : String(cause)}.`);
  }
  const result = entries.safeParse(parsed);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new ConfigError(
      `${name} is not a list like [{"Claim":"ops","Role":"Operator","Groups":["plant"]}]: ${issue?.path.join('.') || 'it'}: ${issue?.message}.`,
    );
  }
  if (result.data.length === 0) throw new ConfigError(`${name} is an empty list: nobody could sign in.`);
  return result.data;
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new ConfigError(`OIDC_ROLES_FILE is "${file}", but that file cannot be read.`);
  }
}
