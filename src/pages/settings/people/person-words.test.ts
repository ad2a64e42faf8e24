import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Person } from '#/contract/people.ts';
import { filteredPeople, NO_PEOPLE_FILTER } from './people-filter.ts';
import { heldText, takesAway, whyLastAdmin } from './person-words.ts';

const person = (more: Partial<Person>): Person => ({
  PersonId: 'a',
  Name: '',
  Email: 'anna@example.com',
  Role: 'Admin',
  Groups: [],
  State: 'Active',
  Source: 'password',
  SecondFactor: false,
  LastSeenTime: '',
  ...more,
});

test('the last Admin is the only active one of all devices', () => {
  const anna = person({});
  assert.match(whyLastAdmin(anna, [anna]) ?? '', /^anna@example.com is the last Admin/);
  for (const less of [
    { State: 'Invited' },
    { State: 'Disabled' },
    { Groups: ['plant'] },
    { Role: 'Operator' },
  ] as const) {
    const ben = person({
      PersonId: 'b',
      ...less,
      ...('Groups' in less && { Groups: [...less.Groups] }),
    } as Partial<Person>);
    assert.ok(whyLastAdmin(anna, [anna, ben]), JSON.stringify(less));
    assert.equal(whyLastAdmin(ben, [anna, ben]), undefined, JSON.stringify(less));
  }
  assert.equal(whyLastAdmin(anna, [anna, person({ PersonId: 'b' })]), undefined);
});

test('a lesser role or fewer groups take something away', () => {
  const operator = { Role: 'Operator', Groups: ['plant', 'yard'] } as const;
  const of = (Role: Person['Role'], Groups: string[]) =>
    takesAway({ ...operator, Groups: [...operator.Groups] }, { Role, Groups });
  assert.equal(of('Viewer', ['plant', 'yard']), true);
  assert.equal(of('Operator', ['plant']), true);
  assert.equal(of('Admin', ['plant', 'north']), true);
  assert.equal(of('Operator', ['yard', 'plant']), false);
  assert.equal(of('Operator', ['plant', 'yard', 'north']), false);
  assert.equal(of('Admin', []), false);
});

test('what a person holds is counted in words', () => {
  assert.equal(heldText(2, 1), '2 sessions and 1 token');
  assert.equal(heldText(0, 3), '3 tokens');
  assert.equal(heldText(0, 0), '');
});

test('people are found by words of the name, the address and the groups', () => {
  const people = [
    person({ PersonId: 'a', Name: 'Ánna', Groups: ['plant'] }),
    person({ PersonId: 'b', Email: 'ben@example.com', Role: 'Viewer', State: 'Invited' }),
  ];
  const found = (filter: Partial<typeof NO_PEOPLE_FILTER>) =>
    filteredPeople(people, { ...NO_PEOPLE_FILTER, ...filter })
      .map(({ PersonId }) => PersonId)
      .join('');
  assert.equal(found({}), 'ab');
  assert.equal(found({ q: 'anna PLANT' }), 'a');
  assert.equal(found({ q: 'example ben' }), 'b');
  assert.equal(found({ role: 'Viewer' }), 'b');
  assert.equal(found({ state: 'Active' }), 'a');
  assert.equal(found({ q: 'plant', state: 'Invited' }), '');
});
