// The people of the account: who they are, what they may do, and invitations.
import { useMemo, useRef } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button, NativeSelect } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { peopleQueries, useMe, useMay, whyNot } from '#/api/people.ts';
import { peopleEndpoints, type Person } from '#/contract/people.ts';
import { ROLES } from '#/contract/permissions.ts';
import { groupsText } from '#/features/roles/role-words.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { counted } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { StateOf } from '#/ui/controls/state-mark.tsx';
import { useDialog } from '#/ui/dialog/use-dialog.ts';
import { SearchField } from '#/ui/form/search-field.tsx';
import { lazyDialog } from '#/ui/late/lazy-dialog.tsx';
import { Page } from '#/ui/page/page.tsx';
import { Empty, View } from '#/ui/page/view.tsx';
import { chosenFilter } from '#/ui/table/active-filters.tsx';
import { FilterBar } from '#/ui/table/filter-bar.tsx';
import { rowName, type Column } from '#/ui/table/table.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import { Link } from '#/ui/url/link.tsx';
import { useTyped } from '#/ui/url/use-typed.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { filteredPeople, NO_PEOPLE_FILTER, peopleUrl, STATES } from './people-filter.ts';
import { personState, shownName } from './person-words.ts';
import classes from './people.module.css';

const InviteDialog = lazyDialog(() => import('./invite-dialog.tsx'), 'InviteDialog');

/** Where nobody's rights differ, roles would only be in the way. */
const columnsOf = (hasRoles: boolean): Column<Person>[] => [
  {
    header: 'Name and e-mail',
    cell: (person) => (
      <div className={classes.person}>
        <Link to={paths.person(person.PersonId)} className={rowName}>
          <MiddleEllipsis text={shownName(person)} />
        </Link>
        {person.Name && (
          <div className="tiny dim truncate">
            <bdi title={person.Email}>{person.Email}</bdi>
          </div>
        )}
      </div>
    ),
    phone: 'wide',
  },
  ...(hasRoles
    ? ([
        { header: 'Role', cell: ({ Role }) => Role, width: '92px', phone: 'second' },
        {
          header: 'Groups',
          cell: ({ Groups }) =>
            Groups.length > 0 ? <bdi>{groupsText(Groups)}</bdi> : <span className="dim">{groupsText(Groups)}</span>,
          title: ({ Groups }) => Groups.join(', '),
          phone: 'end',
        },
      ] satisfies Column<Person>[])
    : []),
  { header: 'State', cell: (person) => <StateOf words={personState(person)} />, width: '104px', phone: 'second' },
  {
    header: 'Second factor',
    cell: ({ SecondFactor }) => (SecondFactor ? 'On' : <span className="dim">Off</span>),
    width: '108px',
    phone: 'hide',
    room: 'medium',
  },
  {
    header: 'Last seen',
    cell: ({ LastSeenTime }) => (LastSeenTime ? <Timestamp text={LastSeenTime} /> : <span className="dim">Never</span>),
    width: '112px',
    phone: 'end',
  },
];

export function PeoplePage() {
  const me = useMe();
  const why = whyNot(me, peopleEndpoints.list, { doing: 'Seeing and changing the people of this account' });
  return why === undefined ? (
    <AllPeople hasRoles={me?.HasOthers ?? true} isPerson={me?.PersonId !== undefined} />
  ) : (
    <Page title="People">
      <p>{why}</p>
    </Page>
  );
}

/** `isPerson`: the one who looks, rather than a token. */
function AllPeople({ hasRoles, isPerson }: { hasRoles: boolean; isPerson: boolean }) {
  const people = useQuery(peopleQueries.list());
  const dialog = useDialog<'invite'>('person');
  const noInvite = useMay(peopleEndpoints.invite, 'Inviting people');
  const invite = (
    <Gate why={noInvite}>
      <Button
        variant="filled"
        leftSection={<IconUserPlus size={18} stroke={1.6} aria-hidden />}
        onClick={() => dialog.open('invite')}
      >
        Invite a person
      </Button>
    </Gate>
  );
  const isAlone = people.data?.length === 1;
  return (
    <Page title="People" lead="Who signs in here, and what each may do." actions={people.data && !isAlone && invite}>
      <View query={people} name="the people" rows={3} empty={null}>
        {(all) => (
          <>
            <PeopleTable people={all} hasRoles={hasRoles || !isAlone} />
            {isAlone && (
              <Empty title={isPerson ? 'You are the only one here' : 'One person signs in here'} action={invite}>
                Whoever you invite gets a sign-in of their own and a role, for all devices or for some groups: from
                seeing everything to managing it. The audit log then says who did what.
              </Empty>
            )}
          </>
        )}
      </View>
      <InviteDialog open={dialog.name === 'invite' && { onClose: dialog.close }} />
    </Page>
  );
}

const keyOf = ({ PersonId }: Person): string => PersonId;

function PeopleTable({ people, hasRoles }: { people: readonly Person[]; hasRoles: boolean }) {
  const [filter, url] = useUrlState(peopleUrl);
  const search = useRef<HTMLInputElement>(null);
  const text = useTyped(filter.q, (q) => url.set({ q }), 80);
  const { q, role, state } = filter;
  const shown = useMemo(() => filteredPeople(people, { q, role, state }), [people, q, role, state]);
  const columns = useMemo(() => columnsOf(hasRoles), [hasRoles]);
  const clear = () => {
    text.empty();
    url.set(NO_PEOPLE_FILTER);
  };
  const table = <VirtualTable name="People" columns={columns} rows={shown} rowKey={keyOf} />;
  if (people.length === 1) return table;
  return (
    <>
      <FilterBar
        label="Filter people"
        field={search}
        slash
        filtered={shown.length < people.length || filter.q !== ''}
        onClear={clear}
        count={
          shown.length < people.length
            ? `${shown.length} of ${people.length} people`
            : counted(people.length, 'person', 'people')
        }
        active={[
          ...chosenFilter('Role', role, [], () => url.set({ role: undefined })),
          ...chosenFilter('State', state, [], () => url.set({ state: undefined })),
        ]}
        filters={
          <>
            <NativeSelect
              aria-label="Role"
              value={filter.role ?? ''}
              onChange={({ currentTarget: { value } }) => url.set({ role: ROLES.find((each) => each === value) })}
              data={[{ value: '', label: 'Any role' }, ...ROLES]}
            />
            <NativeSelect
              aria-label="State"
              value={filter.state ?? ''}
              onChange={({ currentTarget: { value } }) => url.set({ state: STATES.find((each) => each === value) })}
              data={[{ value: '', label: 'Any state' }, ...STATES]}
            />
          </>
        }
      >
        <SearchField ref={search} className={classes.search} label="Find a name, an address or a group" text={text} />
      </FilterBar>
      {shown.length > 0 ? (
        table
      ) : (
        <Empty title="No person matches these filters." next={{ label: 'Clear filters', onClick: clear }} />
      )}
    </>
  );
}
