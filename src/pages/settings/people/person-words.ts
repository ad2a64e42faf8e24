// A person as text, and why something about one cannot be changed.
import type { Person } from '#/contract/people.ts';
import { isLess, type Role } from '#/contract/permissions.ts';
import { counted } from '#/lib/format.ts';
import type { StateWords } from '#/ui/controls/state-words.ts';

export const shownName = ({ Name, Email }: Pick<Person, 'Name' | 'Email'>): string => Name || Email;

const MARKS: Record<Person['State'], string> = { Active: 'Succeeded', Invited: 'Waiting', Disabled: 'Cancelled' };

export const personState = ({ State }: Pick<Person, 'State'>): StateWords => ({ label: State, mark: MARKS[State] });

const managesAll = ({ State, Role: role, Groups }: Person): boolean =>
  State === 'Active' && role === 'Admin' && Groups.length === 0;

/** Why this person can be neither removed nor given less: somebody has to manage the account. */
export function whyLastAdmin(person: Person, people: readonly Person[]): string | undefined {
  const others = people.filter(({ PersonId }) => PersonId !== person.PersonId);
  return managesAll(person) && !others.some(managesAll)
    ? `${shownName(person)} is the last Admin of the account. Make another person Admin of all devices first.`
    : undefined;
}

const rightsOf = (role: Role, groups: readonly string[]) => ({ role, ...(groups.length > 0 && { groups }) });

/** Whether a change of the role or its groups takes something away. */
export const takesAway = (person: Pick<Person, 'Role' | 'Groups'>, next: Pick<Person, 'Role' | 'Groups'>): boolean =>
  isLess(rightsOf(next.Role, next.Groups), rightsOf(person.Role, person.Groups));

/** "2 sessions and 1 token"; '' for nothing. */
export const heldText = (sessions: number, tokens: number): string =>
  [sessions > 0 && counted(sessions, 'session'), tokens > 0 && counted(tokens, 'token')].filter(Boolean).join(' and ');
