// One person: the facts, what they may do and why, their sessions and tokens, and everything that an Admin can change.
import type { ReactNode } from 'react';
import { useParams } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { IconKey, IconPencil, IconTrash, IconUserCheck, IconUserOff } from '@tabler/icons-react';
import { peopleMutations, peopleQueries, useMay, useMe, whyNot } from '#/api/people.ts';
import { peopleEndpoints, type Person } from '#/contract/people.ts';
import { PERMISSIONS } from '#/contract/permissions.ts';
import { groupsText, PERMISSION_TEXTS, roleNeededFor } from '#/features/roles/role-words.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { paths } from '#/paths.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { StateMark, StateOf } from '#/ui/controls/state-mark.tsx';
import { useDialog, type Dialog } from '#/ui/dialog/use-dialog.ts';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { lazyDialog } from '#/ui/late/lazy-dialog.tsx';
import { FactList, type Fact } from '#/ui/page/fact-list.tsx';
import { Page, Section } from '#/ui/page/page.tsx';
import { Empty, FormError, NoDataYet, View } from '#/ui/page/view.tsx';
import { DataTable, type Column } from '#/ui/table/table.tsx';
import { Link } from '#/ui/url/link.tsx';
import { PersonSessions } from './person-sessions.tsx';
import { PersonTokens } from './person-tokens.tsx';
import type { PersonDialog } from './person-dialogs.tsx';
import { personState, shownName, whyLastAdmin } from './person-words.ts';

const PersonDialogs = lazyDialog(() => import('./person-dialogs.tsx'), 'PersonDialogs');

const BACK = <Link to={paths.people()}>People</Link>;

export function PersonPage() {
  const { id = '' } = useParams();
  const me = useMe();
  const why = whyNot(me, peopleEndpoints.list, { doing: 'Seeing and changing the people of this account' });
  const people = useQuery({ ...peopleQueries.list(), enabled: why === undefined });
  const person = people.data?.find(({ PersonId }) => PersonId === id);
  if (why !== undefined || !people.data)
    return (
      <Page title="Person" back={BACK}>
        {why === undefined ? <NoDataYet query={people} name="the person" /> : <p>{why}</p>}
      </Page>
    );
  if (!person)
    return (
      <Page title="Person" back={BACK}>
        <Empty title="There is no such person" next={{ label: 'See all people', to: paths.people() }}>
          The person may have been removed.
        </Empty>
      </Page>
    );
  return (
    <OnePerson
      key={person.PersonId}
      person={person}
      people={people}
      hasRoles={(me?.HasOthers ?? true) || people.data.length > 1}
      isOwn={me?.PersonId === person.PersonId}
    />
  );
}

interface OnePersonProps {
  person: Person;
  people: Parameters<typeof View<Person[]>>[0]['query'];
  hasRoles: boolean;
  isOwn: boolean;
}

function OnePerson({ person, people, hasRoles, isOwn }: OnePersonProps) {
  const dialog = useDialog<PersonDialog>('subject');
  const name = shownName(person);
  const words = personState(person);
  const all = people.data ?? [];
  const facts: Fact[] = [
    ['E-mail', <bdi key="email">{person.Email}</bdi>],
    ['State', <StateOf key="state" words={words} />],
    ['Role', hasRoles && person.Role],
    ['Groups', hasRoles && <bdi key="groups">{groupsText(person.Groups)}</bdi>],
    ['Signs in with', person.Source === 'oidc' ? 'The identity provider' : 'A password'],
    ['Second factor', person.SecondFactor ? <SecondFactor key="factor" isOwn={isOwn} dialog={dialog} /> : 'Off'],
    ['Last seen', person.LastSeenTime ? <Timestamp key="seen" text={person.LastSeenTime} /> : 'Never'],
    [
      'Invitation',
      person.State === 'Invited' &&
        (person.ExpiresTime ? (
          <span key="invitation">
            Expires <Timestamp text={person.ExpiresTime} ahead />
          </span>
        ) : (
          'Expired'
        )),
    ],
  ];
  return (
    <Page
      title={name}
      state={words}
      back={BACK}
      lead={isOwn && 'This is you.'}
      actions={<PersonActions person={person} lastAdmin={whyLastAdmin(person, all)} dialog={dialog} />}
    >
      <View query={people} name="the person" empty={null}>
        {() => <FactList facts={facts} later={LATER} />}
      </View>
      {hasRoles && <WhatAndWhy person={person} />}
      <PersonSessions personId={person.PersonId} />
      <PersonTokens personId={person.PersonId} />
      <PersonDialogs open={dialog.name !== null && { person, people: all, hasRoles, isOwn, dialog }} />
    </Page>
  );
}
/** Shown on a phone only when asked for. */
const LATER = new Set(['Signs in with', 'Second factor']);

function SecondFactor({ isOwn, dialog }: { isOwn: boolean; dialog: Dialog<PersonDialog> }) {
  return (
    <>
      On{' '}
      <Gate why={isOwn ? 'Remove your own in Settings under Sign-in, which asks for your password.' : undefined}>
        <Button size="compact-xs" aria-label="Remove the second factor" onClick={() => dialog.open('drop-factor')}>
          Remove
        </Button>
      </Gate>
    </>
  );
}

interface PersonActionsProps {
  person: Person;
  /** Why nothing can be taken from this person. */
  lastAdmin: string | undefined;
  dialog: Dialog<PersonDialog>;
}

function PersonActions({ person, lastAdmin, dialog }: PersonActionsProps) {
  const noChange = useMay(peopleEndpoints.update, 'Changing people');
  const noLink = useMay(peopleEndpoints.renewInvitation, 'Making sign-in links');
  const noRemove = useMay(peopleEndpoints.remove, 'Removing people');
  const enable = useWrite(peopleMutations.update(person.PersonId));
  const icon = { size: 18, stroke: 1.6, 'aria-hidden': true } as const;
  const isSelf = useMe()?.PersonId === person.PersonId;
  const isDisabled = person.State === 'Disabled';
  const whyNoLink =
    person.Source === 'oidc'
      ? 'Comes from the identity provider: there is no password here.'
      : isDisabled
        ? 'Enable this person first.'
        : isSelf
          ? 'Your own password is changed under Sign-in.'
          : undefined;
  return (
    <>
      <FormError error={enable.error} />
      <Gate why={noChange}>
        <Button leftSection={<IconPencil {...icon} />} onClick={() => dialog.open('edit')}>
          Edit
        </Button>
      </Gate>
      <Gate why={noLink ?? whyNoLink}>
        <Button leftSection={<IconKey {...icon} />} onClick={() => dialog.open('link')}>
          {person.State === 'Invited' ? 'New invitation' : 'New password link'}
        </Button>
      </Gate>
      {isDisabled ? (
        <Gate why={noChange}>
          <Button
            leftSection={<IconUserCheck {...icon} />}
            loading={enable.isPending}
            onClick={() => enable.mutate({ Disabled: false })}
          >
            Enable
          </Button>
        </Gate>
      ) : (
        <Gate why={noChange ?? lastAdmin}>
          <Button leftSection={<IconUserOff {...icon} />} onClick={() => dialog.open('disable')}>
            Disable
          </Button>
        </Gate>
      )}
      <Gate why={noRemove ?? lastAdmin}>
        <Button leftSection={<IconTrash {...icon} />} onClick={() => dialog.open('remove')}>
          Remove
        </Button>
      </Gate>
    </>
  );
}

interface Allowance {
  permission: string;
  isAllowed: boolean;
  where: string;
  why: ReactNode;
}

const ALLOWANCES: Column<Allowance>[] = [
  { header: 'Permission', cell: ({ permission }) => permission, width: '34%', phone: 'wide' },
  {
    header: 'Allowed',
    cell: ({ isAllowed }) =>
      isAllowed ? <StateMark state="Succeeded" label="Yes" /> : <StateMark state="Finished" label="No" />,
    width: '88px',
  },
  { header: 'Where', cell: ({ where }) => <bdi>{where}</bdi>, width: '22%', phone: 'end' },
  { header: 'Why', cell: ({ why }) => why, phone: 'wide' },
];

/** Each permission, with what gives it. */
function WhatAndWhy({ person }: { person: Person }) {
  const { Role: role, Groups, RoleSource, State } = person;
  const rows = PERMISSIONS.map((permission): Allowance => {
    const needed = roleNeededFor(role, permission);
    const isAllowed = needed === undefined && State === 'Active';
    return {
      permission: PERMISSION_TEXTS[permission],
      isAllowed,
      where: isAllowed ? groupsText(Groups) : '',
      why:
        needed !== undefined ? (
          <span className="dim">Needs the role {needed}</span>
        ) : State === 'Active' ? (
          [`Role ${role}`, RoleSource].filter(Boolean).join(', ')
        ) : (
          <span className="dim">{State === 'Invited' ? 'Once the invitation is accepted' : 'Disabled'}</span>
        ),
    };
  });
  return (
    <Section title={`What ${shownName(person)} can do, and why`}>
      <DataTable name="Permissions" columns={ALLOWANCES} rows={rows} rowKey={({ permission }) => permission} />
    </Section>
  );
}
