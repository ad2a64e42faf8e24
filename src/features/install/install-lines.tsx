// The command that connects a device: one way at a time, and whether the device then allows tunnels. The key is masked
// until it is revealed, and copied in full.
import { useState } from 'react';
import { Stack } from '@mantine/core';
import { CommandLine } from '#/ui/controls/command-line.tsx';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { AddressNote } from './address-note.tsx';
import { AllowTunnels } from './allow-tunnels.tsx';
import { KEY_PLACEHOLDER, installCommands, type JoinBy } from './install-commands.ts';

const MASK = '••••••••';
const WAYS = [
  { value: 'curl', label: 'curl' },
  { value: 'wget', label: 'wget' },
  { value: 'clone', label: 'From a clone' },
] as const;
type Way = (typeof WAYS)[number]['value'];

interface InstallLinesProps {
  by: JoinBy;
  /** Undefined if there is none, or it is no longer known: the commands then have a placeholder. */
  secret?: string | undefined;
  revealed?: boolean | undefined;
  onCopied?: (() => void) | undefined;
  /** Whether they allow tunnels, if that was chosen before. */
  allowed?: boolean | undefined;
}

export function InstallLines({ by, secret, revealed = false, onCopied, allowed }: InstallLinesProps) {
  const [way, setWay] = useState<Way>('curl');
  const [chosen, setAllowTunnels] = useState(true);
  const allowTunnels = allowed ?? chosen;
  const { origin } = location;
  const lineWith = (key: string) => installCommands(origin, key, { allowTunnels, by })[way];
  const mask = secret === undefined ? KEY_PLACEHOLDER : MASK;
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label="Install with"
        size="xs"
        value={way}
        data={by === 'key' ? WAYS : WAYS.slice(0, 2)}
        onChange={setWay}
        style={{ alignSelf: 'flex-start' }}
      />
      <CommandLine
        label={way === 'clone' ? 'In the folder of the project' : `On the device, with ${way}`}
        command={lineWith(secret ?? KEY_PLACEHOLDER)}
        // The mask is shown without the quotes that a shell would need.
        shown={revealed ? undefined : lineWith(mask).replaceAll(`'${MASK}'`, MASK)}
        onCopied={onCopied}
      />
      {allowed === undefined && <AllowTunnels checked={allowTunnels} onChange={setAllowTunnels} />}
      <AddressNote origin={origin} />
    </Stack>
  );
}
