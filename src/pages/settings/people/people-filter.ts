// The filters of the people, and which people match them.
import type { Person } from '#/contract/people.ts';
import { ROLES } from '#/contract/permissions.ts';
import { fold } from '#/fleet/text.ts';
import { oneOf, plainText, urlSchema } from '#/ui/url/url-schema.ts';

export const STATES = ['Active', 'Invited', 'Disabled'] as const satisfies readonly Person['State'][];

export const peopleUrl = urlSchema({ q: plainText, role: oneOf(ROLES), state: oneOf(STATES) });
export const NO_PEOPLE_FILTER = peopleUrl.defaults;

export function filteredPeople(people: readonly Person[], { q, role, state }: typeof NO_PEOPLE_FILTER): Person[] {
  const words = fold(q).split(/\s+/).filter(Boolean);
  return people.filter((person) => {
    const text = fold([person.Name, person.Email, ...person.Groups].join(' '));
    return (
      (role === undefined || person.Role === role) &&
      (state === undefined || person.State === state) &&
      words.every((word) => text.includes(word))
    );
  });
}
