// The filters that suggest what there is. Apart from the bar, which is drawn before them: their lists weigh as much as the
// whole table.
import type { ReactNode } from 'react';
import { Autocomplete, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { tagQueries } from '#/api/tags.ts';
import type { FleetFilter } from '#/paths.ts';
import { useDraft } from './use-draft.ts';
import { useKnownGroups } from './use-known-groups.ts';
import classes from './filter-bar.module.css';

interface FilterPickersProps {
  filter: FleetFilter;
  onChange: (change: FleetFilter) => void;
}

export function FilterPickers({ filter, onChange }: FilterPickersProps) {
  return (
    <>
      <GroupFilter value={filter.group ?? ''} onChange={(group) => onChange({ group })} />
      <TagFilter value={filter.tag ?? ''} onChange={(tag) => onChange({ tag })} />
    </>
  );
}

/** Applied when it is complete: on Enter, on leaving the field, or by taking a suggestion. */
function GroupFilter({ value, onChange }: { value: string; onChange: (group: string) => void }) {
  const [typed, setTyped] = useDraft(value);
  const groups = useKnownGroups();
  const apply = (text: string) => {
    if (text.trim() !== value) onChange(text.trim());
  };
  return (
    <OnEnter apply={() => apply(typed)}>
      <Autocomplete
        className={classes['small'] ?? ''}
        size="sm"
        aria-label="Filter by group"
        placeholder="Group"
        data={groups}
        limit={200}
        value={typed}
        onChange={setTyped}
        onOptionSubmit={apply}
        onBlur={() => apply(typed)}
        clearable
        clearButtonProps={{ 'aria-label': 'Any group' }}
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
function TagFilter({ value, onChange }: { value: string; onChange: (tag: string) => void }) {
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
      onChange={(tag) => onChange(tag ?? '')}
      nothingFoundMessage="No tags"
      searchable={names.length > 8}
      clearable
      clearButtonProps={{ 'aria-label': 'Any tag' }}
    />
  );
}
