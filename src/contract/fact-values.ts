// What a fact is, for agents too.

/** Most facts of one device, and the longest value. */
export const MOST_FACTS = 200;
export const LONGEST_FACT = 512;
/** Not `__proto__`: a filter is a JSON object by names, and JSON libraries leave that one out without a word. */
export const FACT_NAME = /^(?!__proto__$)[a-z0-9_.]{1,64}$/;

export const isFactName = (name: string): boolean => FACT_NAME.test(name);

export interface FactValue {
  name: string;
  value: string;
}

/** What both sides hash to see whether a report differs from the last one. */
export const reportText = (facts: readonly FactValue[], problems: readonly string[]): string =>
  JSON.stringify([facts.map(({ name, value }) => [name, value]), problems]);
