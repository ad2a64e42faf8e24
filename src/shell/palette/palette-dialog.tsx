// The command palette: one field that finds pages, actions, devices, jobs, artifacts, groups and tags. It is a combobox as
// in WAI-ARIA: the focus stays in the field, arrow keys move through the list, Enter opens the active entry.
import '#/ui/dialog/modal.css';
import { useDeferredValue, useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { useNavigate } from 'react-router';
import { Modal } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { formatCount } from '#/lib/format.ts';
import { StateOf } from '#/ui/controls/state-mark.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import type { Entry } from './entry.ts';
import type { FoundDevices } from './found-devices.ts';
import { addRecent } from './recent.ts';
import { useEntries } from './use-entries.ts';
import classes from './palette.module.css';

/** The progress of loading the fleet, or what went wrong. */
function noteOf({ fleet, error, isBusy }: FoundDevices): string {
  if (error && !isBusy) return `Devices could not be looked up: ${error.message}`;
  if (fleet.error && !fleet.index) return `The fleet could not be read: ${fleet.error.message}`;
  const { progress } = fleet;
  if (progress?.total) return `Loading the fleet, ${formatCount(progress.read)} of ${formatCount(progress.total)}`;
  return isBusy || progress ? 'Searching devices' : '';
}

/** The entry that Enter opens; it is scrolled into view. */
function useActive(all: readonly Entry[]) {
  const [chosen, setChosen] = useState('');
  const active = all.find(({ id }) => id === chosen) ?? all[0];
  const list = useRef<HTMLDivElement>(null);
  const prefix = useId();
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [active?.id]);
  return { active, setChosen, list, prefix, idOf: (entry: Entry) => `${prefix}${all.indexOf(entry)}` };
}

interface PaletteDialogProps {
  onClose: () => void;
  /** Returns what was typed before the dialog had loaded. */
  takeTyped: () => string;
  /** Opens the requests of the page as curl commands. */
  showRequests: () => void;
}

export function PaletteDialog({ onClose, takeTyped, showRequests }: PaletteDialogProps) {
  const [text, setText] = useState('');
  const search = useDeferredValue(text.trim());
  const navigate = useNavigate();
  const { groups, devices } = useEntries(search, showRequests);
  const all = groups.flatMap(({ entries }) => entries);
  const { active, setChosen, list, prefix, idOf } = useActive(all);

  const take = (entry: Entry | undefined, inNewTab: boolean) => {
    if (!entry) return;
    addRecent(entry);
    if (inNewTab && entry.to) return void window.open(entry.to, '_blank', 'noopener');
    onClose();
    if (entry.to) void navigate(entry.to);
    else entry.run?.();
  };
  // What is listed may lag behind what was typed: Enter waits, so that it opens what was meant.
  const isCurrent = search === text.trim();
  const awaited = useRef<{ inNewTab: boolean }>(undefined);
  useEffect(() => {
    if (!isCurrent || !awaited.current) return;
    const { inNewTab } = awaited.current;
    awaited.current = undefined;
    take(active, inNewTab);
  });
  const move = (to: number) => setChosen(all[(to + all.length) % all.length]?.id ?? '');
  const onKeyDown = (event: KeyboardEvent) => {
    // While a Japanese or Chinese word is being composed, keys belong to the input method.
    if (event.nativeEvent.isComposing) return;
    const at = active ? all.indexOf(active) : 0;
    const groupAt = groups.findIndex(({ entries }) => active && entries.includes(active));
    const jump = (by: number) => setChosen(groups.at((groupAt + by) % groups.length)?.entries[0]?.id ?? '');
    const isWithKey = event.ctrlKey || event.metaKey;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      if (isWithKey) jump(step);
      else move(at + step);
    } else if (event.key === 'Enter') {
      if (isCurrent) take(active, isWithKey);
      else awaited.current = { inNewTab: isWithKey };
    } else return;
    event.preventDefault();
  };
  const note = search ? noteOf(devices) : '';

  return (
    <Modal.Root opened onClose={onClose} size={640} yOffset="10dvh" transitionProps={{ duration: 0 }}>
      <Modal.Overlay />
      <Modal.Content aria-label="Command palette">
        <div className={classes.frame}>
          <div className={classes.field}>
            <IconSearch size={18} stroke={1.6} aria-hidden />
            <input
              data-autofocus
              role="combobox"
              aria-expanded={all.length > 0}
              aria-controls={`${prefix}list`}
              aria-autocomplete="list"
              aria-activedescendant={active && idOf(active)}
              aria-label="Find pages, actions, devices, jobs and artifacts"
              placeholder="Find anything: a page, a job, a device by name, group, site or tag"
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              maxLength={300}
              enterKeyHint="go"
              value={text}
              onFocus={() => setText(text + takeTyped())}
              onChange={({ currentTarget: { value } }) => {
                setText(value);
                setChosen('');
              }}
              onKeyDown={onKeyDown}
            />
            <button type="button" className={classes.close} onClick={onClose}>
              <span className="visually-hidden">Close</span>
              <kbd>Esc</kbd>
            </button>
          </div>
          <div ref={list} id={`${prefix}list`} role="listbox" aria-label="Found" className={classes.list}>
            {groups.map(({ kind, entries }) => (
              <div key={kind} role="group" aria-labelledby={`${prefix}${kind}`}>
                <div id={`${prefix}${kind}`} className={classes.kind} role="presentation">
                  {kind}
                </div>
                {entries.map((entry) => (
                  // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the field has the focus and the keys
                  <div
                    key={entry.id}
                    id={idOf(entry)}
                    role="option"
                    tabIndex={-1}
                    aria-selected={entry === active}
                    className={classes.option}
                    onMouseMove={entry === active ? undefined : () => setChosen(entry.id)}
                    onMouseDown={(event) => event.preventDefault()}
                    onClick={({ ctrlKey, metaKey }) => take(entry, ctrlKey || metaKey)}
                  >
                    <MiddleEllipsis className={classes.label} text={entry.label} />
                    {entry.detail && <bdi className={classes.detail}>{entry.detail}</bdi>}
                    {entry.state && <StateOf words={entry.state} />}
                  </div>
                ))}
              </div>
            ))}
          </div>
          <div className={classes.foot}>
            <span role="status">{note}</span>
            <span className={classes.keys} aria-hidden>
              <kbd>↑</kbd> <kbd>↓</kbd> move <kbd>Enter</kbd> open <kbd>Ctrl Enter</kbd> in a new tab
            </span>
          </div>
        </div>
      </Modal.Content>
    </Modal.Root>
  );
}
