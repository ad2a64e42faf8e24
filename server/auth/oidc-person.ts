// The person behind an identity of the provider, with the role that its claims give at this moment. An identity is an issuer
// and a subject. An e-mail address is none: at many providers people choose it themselves.
import type { OidcRefusal } from '#/contract/sign-in.ts';
import type { Rights } from '#/contract/permissions.ts';
import type { OidcConfig, RoleEntry } from '../oidc-config.ts';
import { FIRST_ACCOUNT, readAccount } from '../store/accounts.ts';
import type { Audit } from '../store/audit.ts';
import type { Tx } from '../store/database.ts';
import { Conflict, LimitReached } from '../store/errors.ts';
import { joinIdentity, personByIdentity, setContact } from '../store/identities.ts';
import { insertPerson, personByEmail, personById, setRights } from '../store/people.ts';
import type { PersonRow } from '../store/people.ts';
import { OidcError, type Identity } from './oidc-client.ts';

/** The first entry that fits one of the values. */
const entryFor = (roles: readonly RoleEntry[], values: readonly string[]): RoleEntry | undefined =>
  roles.find(({ Claim }) => Claim === '*' || values.includes(Claim));

const refuse = (refusal: OidcRefusal): never => {
  throw new OidcError(refusal);
};

interface Found {
  identity: Identity;
  config: OidcConfig;
  /** The person whose session asked to join this identity. */
  joinTo: PersonRow | undefined;
  address: string;
  now: number;
}

/** Finds or adds the person, and gives the role; throws an OidcError if nobody may be signed in. */
export async function personFor(
  tx: Tx,
  audit: Audit,
  { identity, config, joinTo, address, now }: Found,
): Promise<PersonRow> {
  const entry = entryFor(config.roles, identity.values) ?? refuse('no-role');
  const accountId = Number(entry.Account ?? FIRST_ACCOUNT);
  const rights: Rights = { role: entry.Role, ...(entry.Groups?.length && { groups: entry.Groups }) };
  const roleSource =
    entry.Claim === '*' ? 'the identity provider, as to everybody' : `the claim ${config.claim}: ${entry.Claim}`;
  let person = await personByIdentity(tx, identity.issuer, identity.subject);
  if (joinTo && person?.id !== joinTo.id) {
    if (person) refuse('identity-taken');
    person = joinTo;
    if (person.account_id !== accountId) refuse('other-account');
    if (person.state !== 'Active') refuse('disabled');
    await joinIdentity(tx, person.id, identity);
    await audit.record(tx, actorOf(person, address), 'person.join', person.id);
  }
  if (!person) return addPerson(tx, audit, { accountId, identity, rights, roleSource, address, now });
  if (person.account_id !== accountId) refuse('other-account');
  if (person.state !== 'Active') refuse('disabled');
  const isSame = person.role === rights.role && person.groups_json === JSON.stringify(rights.groups ?? []);
  if (!isSame || person.role_source !== roleSource) {
    try {
      await setRights(tx, person, rights, { roleSource, now });
    } catch (cause) {
      if (cause instanceof Conflict) refuse('last-admin');
      throw cause;
    }
    if (!isSame) await audit.record(tx, actorOf(person, address), 'person.update', person.id);
  }
  await followContact(tx, person, identity);
  return (await personById(tx, person.id)) ?? refuse('disabled');
}

const actorOf = ({ id, account_id, email }: PersonRow, address: string) => ({
  account: { id: account_id, email },
  actor: `person:${id}`,
  address,
});

interface NewPerson {
  accountId: number;
  identity: Identity;
  rights: Rights;
  roleSource: string;
  address: string;
  now: number;
}

async function addPerson(
  tx: Tx,
  audit: Audit,
  { accountId, identity, rights, roleSource, address, now }: NewPerson,
): Promise<PersonRow> {
  const { email, name } = identity;
  if (email === '') refuse('no-email');
  if (!(await readAccount(tx, accountId))) refuse('other-account');
  if (await personByEmail(tx, email)) refuse('email-taken');
  let id = '';
  try {
    id = await insertPerson(tx, accountId, { email, name, rights, state: 'Active', roleSource, identity }, now);
  } catch (cause) {
    if (cause instanceof LimitReached) refuse('full');
    throw cause;
  }
  const person = (await personById(tx, id)) ?? refuse('invalid');
  await audit.record(tx, actorOf(person, address), 'person.arrive', id);
  return person;
}

/** Keeps the address and the name as the provider has them; an address that somebody else has here stays as it was. */
async function followContact(tx: Tx, person: PersonRow, { email, name }: Identity): Promise<void> {
  const other = email === '' ? undefined : await personByEmail(tx, email);
  const isFree = email !== '' && (other === undefined || other.id === person.id);
  const next = { email: isFree ? email : person.email, name: name || person.name };
  if (next.email !== person.email || next.name !== person.name) await setContact(tx, person.id, next);
}
