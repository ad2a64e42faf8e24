// The maintenance windows of a rollout: days and times in a time zone during which waves may start.
import type { ReactNode } from 'react';
import { Button, Checkbox, TextInput } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { RolloutWindow } from '#/contract/rollouts.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { NEW_WINDOW } from './rollout-settings.ts';
import classes from './deploy.module.css';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
const MOST = 20;

interface WindowListProps {
  /** Below the windows. */
  children?: ReactNode;
  windows: readonly RolloutWindow[];
  onChange: (windows: readonly RolloutWindow[]) => void;
}

export function WindowList({ windows, onChange, children }: WindowListProps) {
  const add = () =>
    onChange([...windows, NEW_WINDOW(windows.at(-1)?.Zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone)]);
  return (
    <>
      <Checkbox
        label="Only in maintenance windows"
        description="Waves start only during a window; running jobs may finish after it."
        checked={windows.length > 0}
        onChange={({ currentTarget: { checked } }) => (checked ? add() : onChange([]))}
      />
      {windows.map((window, at) => (
        <fieldset key={at} className={classes.window}>
          <legend>
            Window {at + 1}
            {windows.length > 1 && (
              <IconButton
                icon={IconTrash}
                label={`Remove window ${at + 1}`}
                title="Remove"
                onClick={() => onChange(windows.toSpliced(at, 1))}
              />
            )}
          </legend>
          <WindowFields window={window} onChange={(next) => onChange(windows.with(at, next))} />
        </fieldset>
      ))}
      {windows.length > 0 && children}
      {windows.length > 0 && (
        <Gate why={windows.length >= MOST ? `A rollout can have at most ${MOST} windows` : undefined}>
          <Button
            size="xs"
            className={classes.suggest}
            leftSection={<IconPlus size={16} stroke={1.6} aria-hidden />}
            onClick={add}
          >
            Add a window
          </Button>
        </Gate>
      )}
    </>
  );
}

function WindowFields({ window, onChange }: { window: RolloutWindow; onChange: (window: RolloutWindow) => void }) {
  const { Days, From, To, Zone } = window;
  const toggle = (day: (typeof DAYS)[number]) => {
    const next = DAYS.filter((each) => (each === day) !== Days.includes(each));
    if (next.length > 0) onChange({ ...window, Days: next });
  };
  return (
    <>
      <div role="group" aria-label="Days" className="flow">
        {DAYS.map((day) => (
          <Checkbox key={day} label={day} checked={Days.includes(day)} onChange={() => toggle(day)} />
        ))}
      </div>
      <div className={classes.pair}>
        <TextInput
          type="time"
          label="From"
          value={From}
          onChange={({ currentTarget: { value } }) => value && onChange({ ...window, From: value })}
        />
        <TextInput
          type="time"
          label="Until"
          description="An end before the start is on the next day"
          value={To}
          onChange={({ currentTarget: { value } }) => value && onChange({ ...window, To: value })}
        />
      </div>
      <TextInput
        label="Time zone"
        value={Zone}
        spellCheck={false}
        onChange={({ currentTarget: { value } }) => onChange({ ...window, Zone: value })}
      />
    </>
  );
}
