// Facts in the URL and in filters.
import { isFactName } from '#/contract/fact-values.ts';
import type { RowFilter } from '#/fleet/filter.ts';

/** A fact is shown as a field with this prefix, which is also that of its parameter in the URL. */
export const FACT = 'fact.';

/** The name of the fact behind a field or parameter. */
export const factOf = (word: string): string | undefined => {
  const name = word.startsWith(FACT) ? word.slice(FACT.length) : '';
  return isFactName(name) ? name : undefined;
};

/** The value that a filter wants of a fact. A device may name a fact as it likes, also "constructor". */
export const wantedFact = ({ facts = {} }: RowFilter, name: string): string | undefined =>
  Object.hasOwn(facts, name) ? facts[name] : undefined;

/** The filter with another value of a fact; undefined for any. */
export function withFact({ facts }: RowFilter, name: string, value: string | undefined): Pick<RowFilter, 'facts'> {
  const { [name]: _before, ...others } = facts ?? {};
  const next = value === undefined ? others : { ...others, [name]: value };
  return { facts: Object.keys(next).length > 0 ? next : undefined };
}

/** `values`: of each wanted fact, the value that each device has. */
export const devicesHaving = (
  wanted: readonly string[],
  values: readonly ReadonlyMap<string, string>[],
): NonNullable<RowFilter['having']> => ({ has: (id) => wanted.every((value, at) => values[at]?.get(id) === value) });
