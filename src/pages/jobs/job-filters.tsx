// The filters of the list of jobs: name, state, target and artifact, each in the URL.
import { useRef } from 'react';
import { NativeSelect, Select } from '@mantine/core';
import { JOB_KINDS } from '#/features/jobs/lately.ts';
import { VERDICTS } from '#/features/jobs/verdict.ts';
import { chosenFilter } from '#/ui/table/active-filters.tsx';
import { FilterBar } from '#/ui/table/filter-bar.tsx';
import { SkipToRows } from '#/ui/table/skip-to-rows.tsx';
import { SearchField } from '#/ui/form/search-field.tsx';
import { useTyped } from '#/ui/url/use-typed.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { NO_JOB_FILTER, isJobListFiltered, jobListUrl, type Choice, type Choices } from './job-list.ts';
import classes from './jobs.module.css';

/** Debounce in milliseconds; short, because the filter runs in memory. */
const PAUSE = 80;
const picker = {
  className: classes.picker,
  limit: 200,
  comboboxProps: { width: 280, position: 'bottom-start', withinPortal: false },
  searchable: true,
  clearable: true,
} as const;
/** Prefixes of a target's value in the picker. */
const KINDS = ['device', 'group', 'tag'] as const;

const NO_TARGET = { device: '', group: '', tag: '' };
const KIND_OPTIONS = Object.entries(JOB_KINDS).map(([value, label]) => ({ value, label }));
/** Choices in hours. */
const SPANS = [24, 168];
const spanText = (hours: number) =>
  hours % 24 === 0 && hours > 24 ? `Last ${hours / 24} days` : `Last ${hours} hours`;

const optionsOf = (kind: string, choices: readonly Choice[]) =>
  choices.map(({ value, label }) => ({ value: `${kind}:${value}`, label }));
/** `count`: the number of jobs, in words. */
export function JobFilters({ choices, count }: { choices: Choices; count: string }) {
  const [view, url] = useUrlState(jobListUrl);
  const search = useRef<HTMLInputElement>(null);
  const name = useTyped(view.name, (text) => url.set({ name: text }), PAUSE);
  const kind = KINDS.find((each) => view[each] !== '');
  const target = kind ? `${kind}:${view[kind]}` : null;
  const targets = [
    { group: 'Groups', items: optionsOf('group', choices.groups) },
    { group: 'Tags', items: optionsOf('tag', choices.tags) },
    { group: 'Devices', items: optionsOf('device', choices.devices) },
  ].filter(({ items }) => items.length > 0);
  // The current filter is always among the options, even if no job has it.
  const isKnownTarget = targets.some(({ items }) => items.some(({ value }) => value === target));
  const targetOptions = targets.flatMap(({ items }) => items);
  if (target && kind && !isKnownTarget) targetOptions.push({ value: target, label: view[kind] });
  const { artifacts } = choices;
  const states = [{ value: '', label: 'Any state' }, ...KIND_OPTIONS, ...VERDICTS];
  const spans = [...new Set([...SPANS, ...(view.within === undefined ? [] : [view.within])])].map((hours) => ({
    value: String(hours),
    label: spanText(hours),
  }));
  const isKnownArtifact = view.artifact === '' || artifacts.some(({ value }) => value === view.artifact);
  return (
    <FilterBar
      label="Filter jobs"
      field={search}
      slash
      filtered={isJobListFiltered(view)}
      onClear={() => {
        name.empty();
        url.set(NO_JOB_FILTER);
      }}
      count={count}
      active={[
        ...chosenFilter('State', view.state, states, () => url.set({ state: undefined })),
        ...chosenFilter('Active within', view.within, spans, () => url.set({ within: undefined })),
        ...chosenFilter('Target', target ?? '', targetOptions, () => url.set(NO_TARGET)),
        ...chosenFilter('Artifact', view.artifact, artifacts, () => url.set({ artifact: '' })),
      ]}
      filters={
        <>
          <NativeSelect
            aria-label="State"
            value={view.state ?? ''}
            onChange={(event) => url.set({ state: (event.currentTarget.value || undefined) as typeof view.state })}
            data={states}
          />
          <NativeSelect
            aria-label="Active within"
            value={view.within ?? ''}
            onChange={(event) => url.set({ within: Number(event.currentTarget.value) || undefined })}
            data={[{ value: '', label: 'Any time' }, ...spans]}
          />
          <Select
            aria-label="Target"
            placeholder="Any target"
            data={target && kind && !isKnownTarget ? [{ value: target, label: view[kind] }, ...targets] : targets}
            value={target}
            onChange={(chosen) => {
              const at = chosen?.indexOf(':') ?? -1;
              url.set(chosen ? { ...NO_TARGET, [chosen.slice(0, at)]: chosen.slice(at + 1) } : NO_TARGET);
            }}
            nothingFoundMessage="No such target"
            clearButtonProps={{ 'aria-label': 'Any target' }}
            {...picker}
          />
          <Select
            aria-label="Artifact"
            placeholder="Any artifact"
            data={isKnownArtifact ? artifacts : [{ value: view.artifact, label: view.artifact }, ...artifacts]}
            value={view.artifact || null}
            onChange={(artifact) => url.set({ artifact: artifact ?? '' })}
            nothingFoundMessage="No such artifact"
            clearButtonProps={{ 'aria-label': 'Any artifact' }}
            {...picker}
          />
        </>
      }
    >
      <SearchField
        ref={search}
        className={classes.search}
        label="Name contains"
        placeholder="Find by name"
        clear="Clear the name"
        aria-keyshortcuts="/"
        text={name}
      />
      <SkipToRows />
    </FilterBar>
  );
}
