// The people of an account, and who the caller is. An addition to v1.md.
import type { Invitation, Me, peopleEndpoints, Person } from '#/contract/people.ts';
import { permissionsOf } from '#/contract/permissions.ts';
import type { Rights } from '#/contract/permissions.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import type { Context } from '../context.ts';
import { askedBy, idempotencyKey } from '../http/idempotency-key.ts';
import type { HandlerRequest, Handlers } from '../http/implement.ts';
import { Problem } from '../http/problem.ts';
import { refuseTokenOf, requireManager } from '../http/require-permission.ts';
import type { Reader, Tx } from '../store/database.ts';
import {
  createPersonCode,
  dropSecondFactor,
  hasOthers,
  insertPerson,
  listPeople,
  personById,
  personOfCode,
  readPerson,
  removePerson,
  setDisabled,
  setName,
  setRights,
  shownName,
} from '../store/people.ts';
import type { CodePurpose, PersonRow } from '../store/people.ts';
import { runOnce } from '../store/submissions.ts';
import { actorNames } from './audit-names.ts';
import { RecentSecrets } from './recent-secrets.ts';

/** A link that was just made for a person. */
interface NewLink {
  id: string;
  email: string;
  purpose: CodePurpose;
  code: string;
  url: string;
  expires: number;
}

const time = (at: number | null) => (at === null ? '' : printIsoTime(new Date(at)));
const rightsOfBody = (role: Rights['role'], groups: readonly string[]): Rights => ({
  role,
  ...(groups.length > 0 && { groups: [...new Set(groups)] }),
});

export function peopleRoutes(context: Context): Handlers<typeof peopleEndpoints> {
  const { db, audit, now, alerts } = context;
  const recent = new RecentSecrets<{ code: string; answer: Promise<Invitation> }>();

  /** Links lead to pages of this service. The code is in the fragment, which browsers do not send. */
  const linkFor = (purpose: CodePurpose, code: string) =>
    `${context.publicUrl}/${purpose === 'invite' ? 'accept' : 'reset'}#code=${code}`;

  const newLink = async (tx: Tx, person: Pick<PersonRow, 'id' | 'email'>, purpose: CodePurpose): Promise<NewLink> => {
    const { code, expires } = await createPersonCode(tx, person.id, purpose, now());
    return { id: person.id, email: person.email, purpose, code, url: linkFor(purpose, code), expires };
  };

  /** Sends the link to the person where there is a server for e-mail, and shows it in any case. */
  const shown = async ({ id, email, purpose, url, expires }: NewLink): Promise<Invitation> => {
    const link = { PersonId: id, InviteUrl: url, ExpiresTime: time(expires) };
    if (!alerts.hasEmail) return link;
    const subject = purpose === 'invite' ? 'Invitation' : 'New password';
    const what =
      purpose === 'invite'
        ? `You are invited to ${context.publicUrl}, a service that manages devices.\n\nSet a password to sign in:`
        : `An Admin made a link with which you set a new password at ${context.publicUrl}:`;
    const text = `${what}\n${url}\n\nThe link works once, until ${time(expires)}. If you did not expect it, ignore this message.\n`;
    const { delivered } = await alerts.mail(email, { subject: `[Muster] ${subject}`, text });
    return { ...link, Emailed: delivered };
  };

  return {
    me: async (request) => {
      const { account, role, groups, personId } = request;
      const person = personId === undefined ? undefined : await personById(db, personId);
      // The token that a request shows, or that the browser signed in with.
      const token =
        request.tokenId === undefined
          ? undefined
          : await db.get<{ id: string; name: string }>('SELECT id, name FROM tokens WHERE id = ?', request.tokenId);
      const found = await db.get<{ email: string; name: string }>(
        'SELECT email, name FROM accounts WHERE id = ?',
        account.id,
      );
      const given = person && (await giverOf(db, account.id, [person])).get(person.id);
      const source = [
        `${role}${groups ? ` of ${groups.join(', ')}` : ''}`,
        ...(given ? [given] : []),
        ...(token ? [`token "${token.name}"`] : []),
      ].join(', ');
      const me: Me = {
        ...(person && { PersonId: person.id, Source: person.source }),
        ...(token && { TokenId: token.id }),
        Name: person?.name ?? token?.name ?? '',
        Email: person?.email ?? '',
        Role: role,
        Groups: [...(groups ?? [])],
        Permissions: permissionsOf(role).map((permission) => ({ Permission: permission, Source: source })),
        Account: { Name: found?.name || (found?.email ?? '') },
        SecondFactor: person !== undefined && person.otp_secret !== null,
        HasOthers: await hasOthers(db, account.id),
        HasPassword: person !== undefined && person.password !== '',
      };
      return me;
    },

    list: async ({ account }) => {
      const rows = await listPeople(db, account.id, now());
      const givers = await giverOf(db, account.id, rows);
      return rows.map((row): Person => ({
        PersonId: row.id,
        Name: row.name,
        Email: row.email,
        Role: row.role,
        Groups: JSON.parse(row.groups_json) as string[],
        State: row.state,
        Source: row.source,
        SecondFactor: row.otp_secret !== null,
        LastSeenTime: time(row.last_seen),
        RoleSource: givers.get(row.id) ?? '',
        ...(row.invite_expires !== null && { ExpiresTime: time(row.invite_expires) }),
      }));
    },

    invite: async (request) => {
      const { Email: email, Name: name, Role: role, Groups: groups } = request.body;
      const accountId = request.account.id;
      const key = idempotencyKey(request.http);
      const content = askedBy(request, request.body);
      let created: Promise<Invitation> | undefined;
      const { id: personId } = await db.write((tx) =>
        runOnce(tx, { accountId, key, content }, now(), async () => {
          await requireManager(tx, request);
          const rights = rightsOfBody(role, groups);
          const invited = { email, name, rights, state: 'Invited', roleSource: request.actor } as const;
          const id = await insertPerson(tx, accountId, invited, now());
          await audit.record(tx, request, 'person.invite', id);
          const link = await newLink(tx, { id, email }, 'invite');
          tx.afterCommit(() => {
            created = shown(link);
            if (key !== undefined) recent.remember(id, { code: link.code, answer: created });
          });
          return id;
        }),
      );
      if (created) return created;
      const earlier = recent.recall(personId);
      // A link that was used, or replaced by a newer one, would be useless.
      if (earlier && (await personOfCode(db, earlier.code, now()))) return earlier.answer;
      throw new Problem(
        409,
        'The person was invited, but the link is lost',
        `This request invited ${email}, but its answer was lost. Make a new link for this person.`,
      );
    },

    renewInvitation: async (request) => {
      const link = await db.write(async (tx) => {
        await requireManager(tx, request);
        const person = await readPerson(tx, request.account.id, request.params.person_id);
        // Whoever finds a browser left open would get a password for good.
        if (person.id === request.personId)
          throw new Problem(
            409,
            'You cannot make this link for yourself',
            'Set or change your password under Settings, Sign-in. If you have forgotten it, another Admin can make the link, or "npm run token -- link" signs you in.',
          );
        if (person.source === 'oidc')
          throw new Problem(
            409,
            `${shownName(person)} signs in at the identity provider`,
            'A person of the provider has no password here. Reset it there.',
          );
        if (person.state === 'Disabled')
          throw new Problem(409, `${shownName(person)} is disabled`, 'Enable this person first.');
        await audit.record(tx, request, 'person.renew-link', person.id);
        return newLink(tx, person, person.state === 'Invited' ? 'invite' : 'reset');
      });
      return shown(link);
    },

    update: (request) =>
      db.write(
        async (tx) => {
          await requireManager(tx, request);
          const person = await readPerson(tx, request.account.id, request.params.person_id);
          refuseTokenOf(person.id, request);
          if (person.id === request.personId && request.body.SecondFactor === false)
            throw new Problem(
              409,
              'You cannot remove your own second factor here',
              'Remove it under Settings, Sign-in, which asks for your password. If you have lost it, another Admin can remove it.',
            );
          await update(tx, request, person, request.body);
        },
        { essential: true },
      ),

    remove: (request) =>
      db.write(
        async (tx) => {
          await requireManager(tx, request);
          const person = await readPerson(tx, request.account.id, request.params.person_id);
          refuseTokenOf(person.id, request);
          await removePerson(tx, person, now());
          await audit.record(tx, request, 'person.remove', person.id);
        },
        { essential: true },
      ),
  };

  async function update(
    tx: Tx,
    caller: HandlerRequest,
    person: PersonRow,
    change: {
      Name?: string | undefined;
      Role?: Rights['role'] | undefined;
      Groups?: readonly string[] | undefined;
      Disabled?: boolean | undefined;
      SecondFactor?: false | undefined;
    },
  ): Promise<void> {
    if (change.Role !== undefined || change.Groups !== undefined) {
      if (person.source === 'oidc')
        throw new Problem(
          409,
          `The identity provider gives ${shownName(person)} the role`,
          'It is read again at every sign-in. Change the groups of this person there, or OIDC_ROLES of the service.',
        );
      const groups = change.Groups ?? (JSON.parse(person.groups_json) as string[]);
      const rights = rightsOfBody(change.Role ?? person.role, groups);
      await setRights(tx, person, rights, { roleSource: caller.actor, now: now() });
    }
    if (change.Name !== undefined) await setName(tx, person.id, change.Name);
    if (change.SecondFactor === false) {
      await dropSecondFactor(tx, person.id);
      await audit.record(tx, caller, 'person.drop-otp', person.id);
    }
    if (change.Role !== undefined || change.Groups !== undefined || change.Name !== undefined)
      await audit.record(tx, caller, 'person.update', person.id);
    if (change.Disabled === undefined) return;
    // As it is now: a role that was taken in this request leaves no last Admin to lose.
    await setDisabled(tx, await readPerson(tx, person.account_id, person.id), change.Disabled);
    await audit.record(tx, caller, change.Disabled ? 'person.disable' : 'person.enable', person.id);
  }
}

/** Who or what gave each person the role, in words, by the person's id. */
async function giverOf(db: Reader, accountId: number, people: readonly PersonRow[]): Promise<Map<string, string>> {
  const sources = [...new Set(people.map(({ role_source }) => role_source))];
  const names = await actorNames(db, accountId, sources);
  const inWords = (source: string) => {
    if (source === '') return '';
    if (source === 'operator') return 'given by the operator of the service';
    const name = names.get(source);
    if (name) return `given by ${name}`;
    // An actor who is gone, or a claim of the provider.
    return /^(person|token|session):/.test(source) ? 'given by somebody who was removed' : `given by ${source}`;
  };
  return new Map(people.map(({ id, role_source }) => [id, inWords(role_source)]));
}
