// The filters above the device table. Each stands in the URL; what is typed goes there after a short pause.
import { Suspense, lazy, useEffect, useRef, useState } from 'react';
import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { IconSearch, IconX } from '@tabler/icons-react';
import type { FleetFilter } from '#/paths.ts';
import { useLater } from '#/ui/use-later.ts';
import { isFiltered } from './fleet-view.ts';
import classes from './filter-bar.module.css';

const loadPickers = () => import('./filter-pickers.tsx');
const FilterPickers = lazy(async () => ({ default: (await loadPickers()).FilterPickers }));

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
  const pickersHere = useLater(loadPickers, true);
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
      {pickersHere ? (
        <Suspense fallback={<PickersToBe filter={filter} />}>
          <FilterPickers filter={filter} onChange={(change) => onChange(change, false)} />
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
    </search>
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
