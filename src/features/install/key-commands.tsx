// The ready commands for a device whose key is at hand: masked on the screen, copied whole.
import { Stack } from '@mantine/core';
import { CommandLine } from '#/ui/controls/command-line.tsx';
import { KEY_PLACEHOLDER, installCommands, isLoopback } from './install-commands.ts';
import { LoopbackNote } from './loopback-note.tsx';
import { useInstall } from './use-install.ts';

const MASK = '••••••••';
const LABELS = {
  curl: 'On the device, with curl',
  wget: 'On the device, with wget',
  clone: 'From a clone of the project',
} as const;

interface KeyCommandsProps {
  /** Undefined: it is not known any more, so the commands have a gap for it. */
  secret?: string;
  /** For the machine that the clone is on: only its own command. */
  thisMachine?: boolean;
  onCopied?: () => void;
}

export function KeyCommands({ secret, thisMachine = false, onCopied }: KeyCommandsProps) {
  const { host, command } = useInstall();
  if (host !== undefined)
    return command ? (
      <CommandLine
        label="On the device"
        command={command(secret ?? KEY_PLACEHOLDER)}
        shown={command(secret === undefined ? KEY_PLACEHOLDER : MASK).replaceAll(`'${MASK}'`, MASK)}
        {...(onCopied ? { onCopied } : {})}
      />
    ) : (
      <p className="dim">
        {host} has an agent of its own: install that one on the device as its documentation says, and give it the device
        key.
      </p>
    );
  const { origin } = location;
  const real = installCommands(origin, secret ?? KEY_PLACEHOLDER);
  const shown = secret === undefined ? real : installCommands(origin, MASK);
  const kinds = thisMachine ? (['clone'] as const) : (['curl', 'wget', 'clone'] as const);
  return (
    <Stack gap="sm">
      {kinds.map((kind) => (
        <CommandLine
          key={kind}
          label={thisMachine ? 'Run this in the folder of the project' : LABELS[kind]}
          command={real[kind]}
          // The mask gets no quotes, whatever the key gets.
          shown={shown[kind].replaceAll(`'${MASK}'`, MASK)}
          {...(onCopied ? { onCopied } : {})}
        />
      ))}
      {!thisMachine && isLoopback(origin) && <LoopbackNote origin={origin} />}
    </Stack>
  );
}
