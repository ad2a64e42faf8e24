// What the queues are looked at by: the filters, each in the URL, and after how many days a job counts as stale.
import { useRef } from 'react';
import { NativeSelect } from '@mantine/core';
import { MOST_DAYS, keepStaleDays, useStaleDays } from '#/features/job-queue/stale-days.ts';
import { STALE_KINDS } from '#/features/job-queue/stale.ts';
import { FilterRow } from '#/ui/table/filter-row.tsx';
import { SearchField } from '#/ui/form/search-field.tsx';
import type { Address } from '#/ui/url/use-address.ts';
import { useTyped } from '#/ui/url/use-typed.ts';
import { WholeNumber } from '#/ui/form/whole-number.tsx';
import { NO_QUEUE_FILTER, isQueueFiltered } from './queue-rows.ts';
import type { QueuesView } from './queue-rows.ts';
import classes from './queues.module.css';

/** Short, since it is answered from memory. */
const PAUSE = 80;
const AGES = [1, 7, 14, 30, 90];

interface QueueFiltersProps {
  view: QueuesView;
  /** What is queued, to choose from. */
  artifacts: { value: string; label: string }[];
  address: Address;
  /** How many there are, in words. */
  count: string;
}

export function QueueFilters({ view, artifacts, address, count }: QueueFiltersProps) {
  const search = useRef<HTMLInputElement>(null);
  const text = useTyped(view.q, (q) => address.set({ q }), PAUSE);
  const chosen = view.older === undefined ? '' : String(view.older);
  const ages = chosen === '' || AGES.includes(Number(chosen)) ? AGES : [...AGES, Number(chosen)];
  const known = view.artifact === '' || artifacts.some(({ value }) => value === view.artifact);
  return (
    <FilterRow
      label="Filter queues"
      filtered={isQueueFiltered(view)}
      onClear={() => {
        text.empty();
        address.set(NO_QUEUE_FILTER);
        // The button goes; the keyboard stays in the row.
        search.current?.focus();
      }}
      count={count}
    >
      <SearchField ref={search} className={classes.search} label="Find a device or a job" text={text} />
      <NativeSelect
        aria-label="State"
        value={view.status}
        onChange={(event) => address.set({ status: event.currentTarget.value })}
        data={[{ value: '', label: 'Any state' }, 'Offline', 'Online']}
      />
      <NativeSelect
        className={classes.picker}
        aria-label="Waits longer than"
        value={chosen}
        onChange={(event) => address.set({ older: event.currentTarget.value })}
        data={[
          { value: '', label: 'Any age' },
          ...ages.map((days) => ({
            value: String(days),
            label: days === 1 ? 'Longer than 1 day' : `Longer than ${days} days`,
          })),
        ]}
      />
      <NativeSelect
        className={classes.picker}
        aria-label="Artifact"
        value={view.artifact}
        onChange={(event) => address.set({ artifact: event.currentTarget.value })}
        data={[
          { value: '', label: 'Any artifact' },
          ...artifacts,
          ...(known ? [] : [{ value: view.artifact, label: view.artifact }]),
        ]}
      />
      <NativeSelect
        className={classes.picker}
        aria-label="Stale"
        value={view.stale ?? ''}
        onChange={(event) => address.set({ stale: event.currentTarget.value })}
        data={[
          { value: '', label: 'Stale or not' },
          { value: 'any', label: 'With stale jobs' },
          ...Object.entries(STALE_KINDS).map(([value, label]) => ({ value, label: `Stale: ${label.toLowerCase()}` })),
        ]}
      />
    </FilterRow>
  );
}

/** After how many days a job counts as stale. */
export function StaleDays() {
  const days = useStaleDays();
  return (
    <div className={classes.days}>
      <label htmlFor="stale-days">Stale after</label>
      <WholeNumber id="stale-days" size="xs" min={1} max={MOST_DAYS} value={days} onChange={keepStaleDays} />
      <span>{days === 1 ? 'day' : 'days'}</span>
    </div>
  );
}
