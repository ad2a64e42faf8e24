// A device's group: any text, with the groups seen so far as suggestions.
import { Autocomplete } from '@mantine/core';
import type { AutocompleteProps } from '@mantine/core';
import { useKnownGroups } from './use-known-groups.ts';

export function GroupInput(props: Omit<AutocompleteProps, 'data'>) {
  const groups = useKnownGroups();
  return (
    <Autocomplete
      label="Group"
      maxLength={255}
      data={groups}
      limit={100}
      autoComplete="off"
      spellCheck={false}
      {...props}
    />
  );
}
