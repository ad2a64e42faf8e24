// The filters of the queues, each in the URL, and the setting after how many days a job counts as stale.
import { useRef } from 'react';
import { NativeSelect } from '@mantine/core';
import { MOST_DAYS, staleDays } from '#/features/job-queue/use-stale-rules.ts';
import { STALE_KINDS } from '#/features/job-queue/stale.ts';
import { counted } from '#/lib/format.ts';
import { chosenFilter } from '#/ui/table/active-filters.tsx';
import { FilterBar } from '#/ui/table/filter-bar.tsx';
import { SkipToRows } from '#/ui/table/skip-to-rows.tsx';
import { SearchField } from '#/ui/form/search-field.tsx';
import { useStore } from '#/ui/state/use-store.ts';
import { useTyped } from '#/ui/url/use-typed.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { WholeNumber } from '#/ui/form/whole-number.tsx';
import { NO_QUEUE_FILTER, isQueueFiltered, queuesUrl } from './queue-rows.ts';
import classes from './queues.module.css';

/** Debounce in milliseconds; short, because the filter runs in memory. */
const PAUSE = 80;
const AGES = [1, 7, 14, 30, 90];
const STALE_OPTIONS = [
  { value: 'any', label: 'With stale jobs' },
  ...Object.entries(STALE_KINDS).map(([value, label]) => ({ value, label: `Stale: ${label.toLowerCase()}` })),
];

/** `artifacts`: the queued artifacts as choices; `count`: the number of devices, in words. */
const STATES = [
  { value: '', label: 'Any state' },
  { value: 'Online', label: 'Online' },
  { value: 'Offline', label: 'Not online' },
  { value: 'NotConnected', label: 'Not connected yet' },
];

export function QueueFilters({ artifacts, count }: { artifacts: { value: string; label: string }[]; count: string }) {
  const [view, url] = useUrlState(queuesUrl);
  const search = useRef<HTMLInputElement>(null);
  const text = useTyped(view.q, (q) => url.set({ q }), PAUSE);
  const ages = [...new Set([...AGES, view.older ?? 1])].map((days) => ({
    value: String(days),
    label: `Longer than ${counted(days, 'day')}`,
  }));
  const known = view.artifact === '' || artifacts.some(({ value }) => value === view.artifact);
  return (
    <FilterBar
      label="Filter queues"
      field={search}
      filtered={isQueueFiltered(view)}
      onClear={() => {
        text.empty();
        url.set(NO_QUEUE_FILTER);
      }}
      count={count}
      active={[
        ...chosenFilter('State', view.status, STATES, () => url.set({ status: '' })),
        ...chosenFilter('Waiting', view.older, ages, () => url.set({ older: undefined })),
        ...chosenFilter('Artifact', view.artifact, artifacts, () => url.set({ artifact: '' })),
        ...chosenFilter('', view.stale, STALE_OPTIONS, () => url.set({ stale: undefined })),
      ]}
      filters={
        <>
          <NativeSelect
            aria-label="State"
            value={view.status}
            onChange={(event) => url.set({ status: event.currentTarget.value })}
            data={STATES}
          />
          <NativeSelect
            className={classes.picker}
            aria-label="Waiting longer than"
            value={view.older ?? ''}
            onChange={(event) => url.set({ older: Number(event.currentTarget.value) || undefined })}
            data={[{ value: '', label: 'Any age' }, ...ages]}
          />
          <NativeSelect
            className={classes.picker}
            aria-label="Artifact"
            value={view.artifact}
            onChange={(event) => url.set({ artifact: event.currentTarget.value })}
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
            onChange={(event) => url.set({ stale: (event.currentTarget.value || undefined) as typeof view.stale })}
            data={[{ value: '', label: 'Stale or not' }, ...STALE_OPTIONS]}
          />
        </>
      }
    >
      <SearchField ref={search} className={classes.search} label="Find a device or a job" text={text} />
      <SkipToRows />
    </FilterBar>
  );
}

export function StaleDays() {
  const days = useStore(staleDays);
  return (
    <div className={classes.days}>
      <label htmlFor="stale-days">Stale after</label>
      <WholeNumber id="stale-days" size="xs" min={1} max={MOST_DAYS} value={days} onChange={staleDays.set} />
      <span>{days === 1 ? 'day' : 'days'}</span>
    </div>
  );
}
