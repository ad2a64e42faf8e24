// The filters above the device table. Each stands in the URL; what is typed goes there after a short pause.
import { useEffect, useRef, useState } from 'react';
import type { ReactNode } from 'react';
import { Autocomplete, Button, SegmentedControl, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconSearch, IconX } from '@tabler/icons-react';
import { tagQueries } from '#/api/tags.ts';
import type { FleetFilter } from '#/paths.ts';
import { isFiltered } from './fleet-view.ts';
import { useDraft } from './use-draft.ts';
import { useKnownGroups } from './use-known-groups.ts';
import classes from './filter-bar.module.css';

/** Pause after the last key before the filter is applied, in milliseconds. */
const PAUSE = 250;

interface FilterBarProps {
  filter: FleetFilter;
  /** `typed`: one of many small steps, not worth an entry in the history. */
  onChange: (change: FleetFilter, typed: boolean) => void;
  onClear: () => void;
}

/** Text that follows the URL, and that the URL follows after a pause. */
function useTyped(value: string, commit: (text: string) => void) {
  const [typed, setTyped] = useState(value);
  const [previous, setPrevious] = useState(value);
  const [sent, setSent] = useState(value);
  if (value !== previous) {
    setPrevious(value);
    // Not what was sent from here: Back, Clear or a link changed it.
    if (value !== sent) {
      setTyped(value);
      setSent(value);
    }
  }
  const send = (text: string) => {
    setSent(text.trim());
    commit(text.trim());
  };
  const latest = useRef(send);
  useEffect(() => {
    latest.current = send;
  });
  useEffect(() => {
    if (typed.trim() === sent) return;
    const timer = setTimeout(() => latest.current(typed), PAUSE);
    return () => clearTimeout(timer);
  }, [typed, sent]);
  return { typed, setTyped, send };
}

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

export function FilterBar({ filter, onChange, onClear }: FilterBarProps) {
  const name = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const focusName = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || document.querySelector('[role="dialog"]')) return;
      event.preventDefault();
      name.current?.focus();
      name.current?.select();
    };
    document.addEventListener('keydown', focusName);
    return () => document.removeEventListener('keydown', focusName);
  }, []);
  const byName = useTyped(filter.name ?? '', (text) => onChange({ name: text }, true));
  const byId = useTyped(filter.id ?? '', (text) => onChange({ id: text }, true));
  return (
    <search className={classes['bar']} aria-label="Filter devices">
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
      <SegmentedControl
        size="sm"
        aria-label="Filter by status"
        value={['online', 'offline'].includes(filter.status ?? '') ? (filter.status ?? '') : ''}
        onChange={(status) => onChange({ status }, false)}
        data={[
          { value: '', label: 'All' },
          { value: 'online', label: 'Online' },
          { value: 'offline', label: 'Offline' },
        ]}
      />
      <GroupFilter value={filter.group ?? ''} onChange={(group) => onChange({ group }, false)} />
      <TagFilter value={filter.tag ?? ''} onChange={(tag) => onChange({ tag }, false)} />
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
    </search>
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
