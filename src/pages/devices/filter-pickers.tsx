// The filters that suggest what there is. Apart from the bar, which is drawn before them: their lists weigh as much as the
// whole table.
import type { ReactNode } from 'react';
import { Autocomplete, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { tagQueries } from '#/api/tags.ts';
import type { FacetValue } from '#/api/fleet/filter.ts';
import type { FleetFilter } from '#/paths.ts';
import { formatCount } from '#/ui/format.ts';
import type { Facets } from './filter-bar.tsx';
import { useDraft } from './use-draft.ts';
import { useKnownGroups } from './use-known-groups.ts';
import classes from './filter-bar.module.css';

/** Within the bar, which is a landmark of the page. */
const LIST = { width: 220, position: 'bottom-start', withinPortal: false } as const;

interface FilterPickersProps {
  filter: FleetFilter;
  /** How many devices there are of each value; undefined until the fleet is in memory. */
  facets: Facets | undefined;
  onChange: (change: FleetFilter) => void;
}

export function FilterPickers({ filter, facets, onChange }: FilterPickersProps) {
  const known = useKnownGroups();
  return (
    <>
      <TextFilter
        name="group"
        label="Group"
        value={filter.group ?? ''}
        known={known}
        facet={facets?.group}
        onChange={(group) => onChange({ group })}
      />
      <TagFilter value={filter.tag ?? ''} facet={facets?.tag} onChange={(tag) => onChange({ tag })} />
      {(['customer', 'site'] as const).map((name) => {
        const facet = facets?.[name];
        // Where no device has one there is nothing to choose.
        if (!filter[name] && !facet?.some(({ value }) => value !== '')) return null;
        return (
          <TextFilter
            key={name}
            name={name}
            label={name === 'customer' ? 'Customer' : 'Site'}
            value={filter[name] ?? ''}
            known={[]}
            facet={facet}
            onChange={(value) => onChange({ [name]: value })}
          />
        );
      })}
    </>
  );
}

/** A value with the number of its devices, where that is known. */
const withCount = (facet: FacetValue[] | undefined) => {
  const counts = facet && new Map(facet.map(({ value, count }) => [value, count]));
  return ({ option: { value } }: { option: { value: string } }) => (
    <span className={classes['option']}>
      <span>{value}</span>
      {counts && <span className={classes['count']}>{formatCount(counts.get(value) ?? 0)}</span>}
    </span>
  );
};

const namesOf = (facet: FacetValue[]) => facet.map(({ value }) => value).filter(Boolean);

interface TextFilterProps {
  name: 'group' | 'customer' | 'site';
  label: string;
  value: string;
  /** What to suggest without the whole fleet. */
  known: string[];
  facet: FacetValue[] | undefined;
  onChange: (value: string) => void;
}

/** Applied when it is complete: on Enter, on leaving the field, or by taking a suggestion. */
function TextFilter({ name, label, value, known, facet, onChange }: TextFilterProps) {
  const [typed, setTyped] = useDraft(value);
  const apply = (text: string) => {
    if (text.trim() !== value) onChange(text.trim());
  };
  return (
    <OnEnter apply={() => apply(typed)}>
      <Autocomplete
        className={classes['small'] ?? ''}
        size="sm"
        aria-label={`Filter by ${name}`}
        placeholder={label}
        data={facet ? namesOf(facet) : known}
        renderOption={withCount(facet)}
        limit={200}
        comboboxProps={LIST}
        value={typed}
        onChange={setTyped}
        onOptionSubmit={apply}
        onBlur={() => apply(typed)}
        clearable
        clearButtonProps={{ 'aria-label': `Any ${name}` }}
        onClear={() => apply('')}
        autoComplete="off"
      />
    </OnEnter>
  );
}

/** A form of one field: Enter applies what was typed, unless it takes a marked suggestion. */
function OnEnter({ apply, children }: { apply: () => void; children: ReactNode }) {
  return (
    <form
      className={classes['field']}
      onSubmit={(event) => {
        event.preventDefault();
        apply();
      }}
    >
      {children}
    </form>
  );
}

/** A choice where the service lists its tags; where it does not, plain text. */
function TagFilter({
  value,
  facet,
  onChange,
}: {
  value: string;
  facet: FacetValue[] | undefined;
  onChange: (tag: string) => void;
}) {
  const tags = useQuery(tagQueries.list());
  const [typed, setTyped] = useDraft(value);
  const apply = () => {
    if (typed.trim() !== value) onChange(typed.trim());
  };
  if (!tags.data)
    return (
      <OnEnter apply={apply}>
        <TextInput
          className={classes['small'] ?? ''}
          size="sm"
          aria-label="Filter by tag"
          placeholder="Tag"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          onBlur={apply}
          autoComplete="off"
          spellCheck={false}
        />
      </OnEnter>
    );
  const names = [...new Set(tags.data.map(({ TagId, TagName }) => TagName || TagId))].sort((one, two) =>
    one.localeCompare(two),
  );
  // A tag named by its id, or one that was deleted meanwhile, still stands in the URL.
  const byId = tags.data.find(({ TagId }) => TagId === value)?.TagName;
  return (
    <Select
      className={classes['small'] ?? ''}
      size="sm"
      aria-label="Filter by tag"
      placeholder="Tag"
      data={byId || !value || names.includes(value) ? names : [value, ...names]}
      value={byId || value || null}
      renderOption={withCount(facet)}
      comboboxProps={LIST}
      onChange={(tag) => onChange(tag ?? '')}
      nothingFoundMessage="No tags"
      searchable={names.length > 8}
      clearable
      clearButtonProps={{ 'aria-label': 'Any tag' }}
    />
  );
}
