// The active filters of the fleet in words.
import { useQuery } from '@tanstack/react-query';
import { tagText } from '#/fleet/dictionary.ts';
import { seenRange } from '#/fleet/seen-range.ts';
import type { RowFilter } from '#/fleet/filter.ts';
import { tagQueries } from '#/api/tags.ts';
import { problemWords } from '#/fleet/agent-words.ts';
import { formatClock } from '#/lib/format.ts';
import { stateLabel } from '#/ui/controls/state-words.ts';
import { useLook, type Look } from '#/ui/controls/look.ts';
import { VALUES } from './filter-words.ts';
import { FACT, withFact } from './fact-words.ts';
import { versionWords } from './version-words.ts';
import type { ActiveFilter } from '#/ui/table/active-filters.tsx';

const LABELS = {
  group: 'Group',
  status: 'Status',
  tag: 'Tag',
  customer: 'Customer',
  site: 'Site',
  problem: '',
} as const;

const STATES = ['online', 'offline', 'notconnected'];

interface Chip extends Omit<ActiveFilter, 'remove'> {
  label: string;
  /** The filter without it. */
  change: RowFilter;
}

function wordsOf(name: (typeof VALUES)[number], value: string): string {
  if (name === 'problem') return problemWords(value);
  if (name !== 'status') return value;
  return value === 'notconnected' ? stateLabel('NotConnected') : value.charAt(0).toUpperCase() + value.slice(1);
}

function chipsOf(filter: RowFilter, zone: Look['zone']): Chip[] {
  const chips: Chip[] = [];
  if (filter.name) chips.push({ key: 'name', label: 'Name contains', value: filter.name, change: { name: '' } });
  if (filter.id) chips.push({ key: 'id', label: 'ID contains', value: filter.id, change: { id: '' } });
  for (const name of VALUES)
    for (const value of filter[name] ?? []) {
      const change = { [name]: filter[name]?.filter((each) => each !== value) };
      // Its control shows a single state.
      const hasControl = name === 'status' && filter.status?.length === 1 && STATES.includes(value);
      chips.push({
        key: `${name}=${value}`,
        label: value === '' ? '' : LABELS[name],
        value: value === '' ? `No ${name}` : wordsOf(name, value),
        change,
        hasControl,
      });
    }
  if (filter.runs)
    chips.push({ key: 'runs', label: '', value: versionWords(filter.runs), change: { runs: undefined } });
  for (const [name, value] of Object.entries(filter.facts ?? {}))
    chips.push({ key: FACT + name, label: name, value, change: withFact(filter, name, undefined) });
  if (filter.seen) {
    const ends = seenRange(filter.seen)?.map((at) => formatClock(new Date(at), zone)) ?? [];
    chips.push({
      key: 'seen',
      label: 'Last seen',
      value: ends.join(' – '),
      change: { seen: undefined },
    });
  }
  return chips;
}

/** Tags by their names: a link may give their ids. */
export function useTagNames(given: readonly string[] | undefined): readonly string[] | undefined {
  const { data } = useQuery({ ...tagQueries.list(), enabled: given !== undefined });
  return given?.map((value) => {
    const tag = data?.find(({ TagId }) => TagId === value);
    return tag ? tagText(tag) : value;
  });
}

export function useActiveFilters(filter: RowFilter, onChange: (change: RowFilter) => void): ActiveFilter[] {
  const tag = useTagNames(filter.tag);
  const { zone } = useLook();
  const chips = chipsOf(tag ? { ...filter, tag } : filter, zone);
  return chips.map(({ change, ...chip }) => ({ ...chip, remove: () => onChange(change) }));
}
