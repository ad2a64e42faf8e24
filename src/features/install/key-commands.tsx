// The commands that install a device with its key.
import { useState } from 'react';
import { Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { accountQueries } from '#/api/account.ts';
import { CommandLine } from '#/ui/controls/command-line.tsx';
import { AllowTunnels } from './allow-tunnels.tsx';
import { KEY_PLACEHOLDER, installCommands, nodeNeeded } from './install-commands.ts';
import { InstallLines } from './install-lines.tsx';
import { useInstall } from './use-install.ts';

const MASK = '••••••••';

interface KeyCommandsProps {
  /** The key; undefined if it is no longer known, so that the commands have a placeholder. */
  secret?: string;
  revealed?: boolean;
  /** Only the command for the machine that has the clone. */
  thisMachine?: boolean;
  onCopied?: () => void;
}

export function KeyCommands({ secret, revealed = false, thisMachine = false, onCopied }: KeyCommandsProps) {
  const { host, command } = useInstall();
  const { AgentRuntimes: runtimes } = useQuery(accountQueries.get()).data ?? {};
  const [allowTunnels, setAllowTunnels] = useState(true);
  const line = (label: string, commandFor: (key: string) => string) => (
    <CommandLine
      label={label}
      command={commandFor(secret ?? KEY_PLACEHOLDER)}
      // The mask is shown without the quotes that a shell would need.
      shown={
        revealed ? undefined : commandFor(secret === undefined ? KEY_PLACEHOLDER : MASK).replaceAll(`'${MASK}'`, MASK)
      }
      onCopied={onCopied}
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
  if (thisMachine)
    return (
      <Stack gap="sm">
        {line(
          'Run this in the folder of the project',
          (key) => installCommands(location.origin, key, { allowTunnels }).clone,
        )}
        <AllowTunnels checked={allowTunnels} onChange={setAllowTunnels} />
      </Stack>
    );
  return (
    <Stack gap="sm">
      <InstallLines by="key" secret={secret} revealed={revealed} onCopied={onCopied} />
      <p className="dim">{nodeNeeded(runtimes)}</p>
    </Stack>
  );
}
