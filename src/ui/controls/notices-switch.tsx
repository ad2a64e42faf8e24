// Switches notices of the system on and off; the browser asks when it is switched on, never before.
import { Checkbox } from '@mantine/core';
import { noNotices, switchNotices, useNoticesOn } from './system-notices.ts';

export function NoticesSwitch({ label }: { label: string }) {
  const isOn = useNoticesOn();
  const why = noNotices();
  return (
    <Checkbox
      label={label}
      description={why ?? 'While this page is open in a tab that is hidden. Kept in this browser.'}
      checked={isOn}
      disabled={why !== undefined}
      onChange={({ currentTarget: { checked } }) => void switchNotices(checked)}
    />
  );
}
