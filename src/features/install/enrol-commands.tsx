// The commands with which devices join by an enrolment key. It is masked on the screen and copied in full.
import { Stack } from '@mantine/core';
import { CommandLine } from '#/ui/controls/command-line.tsx';
import { AddressNote } from './address-note.tsx';
import { enrolCommands } from './install-commands.ts';

const MASK = '••••••••';

export function EnrolCommands({ secret, onCopied }: { secret: string; onCopied: () => void }) {
  const { origin } = location;
  const line = (label: string, name: 'curl' | 'wget') => (
    <CommandLine
      label={label}
      command={enrolCommands(origin, secret)[name]}
      shown={enrolCommands(origin, MASK)[name].replaceAll(`'${MASK}'`, MASK)}
      onCopied={onCopied}
    />
  );
  return (
    <Stack gap="sm">
      {line('On each device or in the image, with curl', 'curl')}
      {line('With wget', 'wget')}
      <AddressNote origin={origin} />
    </Stack>
  );
}
