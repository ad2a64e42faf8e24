// By which column a table is sorted, and which way, as the URL has it.

export interface Sort {
  by: string;
  down: boolean;
}

export const sortedBy = (id: string, sort: Sort | undefined): 'ascending' | 'descending' | undefined =>
  sort?.by === id ? (sort.down ? 'descending' : 'ascending') : undefined;

/** "name" and "-name", as the URL has it. */
export const readSort = (text: string | null, allowed: readonly string[]): Sort | undefined => {
  const by = text?.replace(/^-/, '') ?? '';
  return allowed.includes(by) ? { by, down: text?.startsWith('-') ?? false } : undefined;
};
export const printSort = (sort: Sort | undefined): string => (sort ? `${sort.down ? '-' : ''}${sort.by}` : '');
