// The filters above the device table. Each stands in the URL; what is typed goes there after a short pause.
import { Suspense, lazy, useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { IconFilter, IconSearch, IconX } from '@tabler/icons-react';
import type { Facet, FacetValue } from '#/api/fleet/filter.ts';
import type { FleetFilter } from '#/paths.ts';
import { formatCount } from '#/ui/format.ts';
import { useLater } from '#/ui/use-later.ts';
import { useTyped } from '#/ui/use-typed.ts';
import { isFiltered } from './fleet-view.ts';
import { isFree } from '#/ui/free-key.ts';
import classes from './filter-bar.module.css';

const loadPickers = () => import('./filter-pickers.tsx');
const FilterPickers = lazy(async () => ({ default: (await loadPickers()).FilterPickers }));

/** Pause after the last key before the filter is applied when it is answered from memory, in milliseconds. */
const SHORT_PAUSE = 60;

export type Facets = Record<Facet, FacetValue[]>;

interface FilterBarProps {
  filter: FleetFilter;
  /** `typed`: one of many small steps, not worth an entry in the history. */
  onChange: (change: FleetFilter, typed: boolean) => void;
  onClear: () => void;
  /** How many devices there are of each value; undefined until the fleet is in memory. */
  facets: Facets | undefined;
  /** At the end of the bar. */
  children?: ReactNode;
}

export function FilterBar({ filter, onChange, onClear, facets, children }: FilterBarProps) {
  const name = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focusName = (event: KeyboardEvent) => {
      if (event.key !== '/' || !isFree(event)) return;
      event.preventDefault();
      name.current?.focus();
      name.current?.select();
    };
    document.addEventListener('keydown', focusName);
    return () => document.removeEventListener('keydown', focusName);
  }, []);
  const [open, setOpen] = useState(false);
  const pickersHere = useLater(loadPickers, true);
  const pause = facets ? SHORT_PAUSE : undefined;
  const byName = useTyped(filter.name ?? '', (text) => onChange({ name: text }, true), pause);
  const byId = useTyped(filter.id ?? '', (text) => onChange({ id: text }, true), pause);
  return (
    <search className={classes['bar']} aria-label="Filter devices" data-open={open}>
      <TextInput
        ref={name}
        className={classes['name'] ?? ''}
        size="sm"
        aria-label="Filter by name"
        placeholder="Filter by name"
        leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
        rightSection={
          <kbd className={classes['key']} aria-hidden>
            /
          </kbd>
        }
        aria-keyshortcuts="/"
        value={byName.typed}
        onChange={(event) => byName.setTyped(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
      />
      <Button
        className={classes['more'] ?? ''}
        variant="default"
        size="sm"
        aria-expanded={open}
        leftSection={<IconFilter size={16} stroke={1.6} aria-hidden />}
        onClick={() => setOpen(!open)}
      >
        Filters
      </Button>
      <SegmentedControl
        size="sm"
        aria-label="Filter by status"
        value={['online', 'offline'].includes(filter.status ?? '') ? (filter.status ?? '') : ''}
        onChange={(status) => onChange({ status }, false)}
        data={[
          { value: '', label: 'All' },
          { value: 'online', label: <Counted label="Online" of={facets?.status} /> },
          { value: 'offline', label: <Counted label="Offline" of={facets?.status} /> },
        ]}
      />
      {pickersHere ? (
        <Suspense fallback={<PickersToBe filter={filter} />}>
          <FilterPickers filter={filter} facets={facets} onChange={(change) => onChange(change, false)} />
        </Suspense>
      ) : (
        <PickersToBe filter={filter} />
      )}
      <TextInput
        className={classes['small'] ?? ''}
        size="sm"
        aria-label="Filter by id"
        placeholder="ID"
        value={byId.typed}
        onChange={(event) => byId.setTyped(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
      />
      {isFiltered(filter) && (
        <Button
          variant="subtle"
          size="sm"
          px="xs"
          leftSection={<IconX size={16} stroke={1.6} aria-hidden />}
          onClick={() => {
            onClear();
            // The button goes; the keyboard stays in the bar.
            name.current?.focus();
          }}
        >
          Clear
        </Button>
      )}
      {children}
      <FilterChips filter={filter} onChange={(change) => onChange(change, false)} />
    </search>
  );
}

const LABELS = { group: 'Group', tag: 'Tag', customer: 'Customer', site: 'Site' } as const;

/** The values that are filtered by, each to be taken away; name, status and id are read in their own fields. */
function FilterChips({ filter, onChange }: { filter: FleetFilter; onChange: (change: FleetFilter) => void }) {
  const names = (Object.keys(LABELS) as (keyof typeof LABELS)[]).filter((name) => filter[name]);
  if (names.length === 0) return null;
  return (
    <ul className={classes['chips']} aria-label="Filters in use">
      {names.map((name) => (
        <li key={name}>
          <span className="dim">{LABELS[name]}</span> <span>{filter[name]}</span>
          <button
            type="button"
            aria-label={`Take off ${LABELS[name]} ${filter[name]}`}
            onClick={() => onChange({ [name]: '' })}
          >
            <IconX size={14} stroke={1.8} aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** A state, and how many devices are in it where that is known. */
function Counted({ label, of }: { label: string; of: FacetValue[] | undefined }) {
  if (!of) return <>{label}</>;
  const count = of.find(({ value }) => value === label)?.count ?? 0;
  return (
    <>
      {label} <span className={classes['count']}>{formatCount(count)}</span>
    </>
  );
}

/** The place of the filters that are on their way. */
function PickersToBe({ filter }: { filter: FleetFilter }) {
  const field = { className: classes['small'] ?? '', size: 'sm', disabled: true, readOnly: true } as const;
  return (
    <>
      <TextInput {...field} aria-label="Filter by group" placeholder="Group" value={filter.group ?? ''} />
      <TextInput {...field} aria-label="Filter by tag" placeholder="Tag" value={filter.tag ?? ''} />
    </>
  );
}
