// The commands that install a device. Its key is masked on the screen and copied in full.
import '#/ui/form/checkbox.css';
import { useState } from 'react';
import { Checkbox, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { accountQueries } from '#/api/account.ts';
import { CommandLine } from '#/ui/controls/command-line.tsx';
import { AddressNote } from './address-note.tsx';
import { KEY_PLACEHOLDER, installCommands, nodeNeeded } from './install-commands.ts';
import { useInstall } from './use-install.ts';

const MASK = '••••••••';

interface KeyCommandsProps {
  /** The key; undefined if it is no longer known, so that the commands have a placeholder. */
  secret?: string;
  /** Only the command for the machine that has the clone. */
  thisMachine?: boolean;
  onCopied?: () => void;
}

export function KeyCommands({ secret, thisMachine = false, onCopied }: KeyCommandsProps) {
  const { host, command } = useInstall();
  const { AgentRuntimes: runtimes } = useQuery(accountQueries.get()).data ?? {};
  const { origin } = location;
  const [allowTunnels, setAllowTunnels] = useState(true);
  const commands = (key: string) => installCommands(origin, key, { allowTunnels });
  const line = (label: string, commandFor: (key: string) => string) => (
    <CommandLine
      key={label}
      label={label}
      command={commandFor(secret ?? KEY_PLACEHOLDER)}
      // The mask is shown without the quotes that a shell would need.
      shown={commandFor(secret === undefined ? KEY_PLACEHOLDER : MASK).replaceAll(`'${MASK}'`, MASK)}
      {...(onCopied && { onCopied })}
    />
  );
  if (host !== undefined)
    return command ? (
      line('On the device', command)
    ) : (
      <p className="dim">
        {host} has an agent of its own: install that one on the device as its documentation says, and give it the device
        key.
      </p>
    );
  const choice = (
    <Checkbox
      label="Allow tunnels to this device’s own ports"
      description="Whoever may open tunnels can then reach them. Later, only the device itself can change it."
      checked={allowTunnels}
      onChange={({ currentTarget: { checked } }) => setAllowTunnels(checked)}
    />
  );
  if (thisMachine)
    return (
      <Stack gap="sm">
        {line('Run this in the folder of the project', (key) => commands(key).clone)}
        {choice}
      </Stack>
    );
  return (
    <Stack gap="sm">
      {line('On the device, with curl', (key) => commands(key).curl)}
      {line('On the device, with wget', (key) => commands(key).wget)}
      {line('From a clone of the project', (key) => commands(key).clone)}
      {choice}
      <p className="dim">
        {nodeNeeded(runtimes)} Where that cannot be had (musl, 32-bit, MIPS, RISC-V, less than 128 MB), or with{' '}
        <code>--sh</code> at the end, it gets the agent of plain sh: jobs and facts, no tunnels.
      </p>
      <AddressNote origin={origin} />
    </Stack>
  );
}
