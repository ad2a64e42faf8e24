// A device's group: any text, with the groups seen so far as suggestions.
import { Autocomplete } from '@mantine/core';
import type { AutocompleteProps } from '@mantine/core';
import { useKnownGroups } from './use-known-groups.ts';

/** Without the one that is typed already: it would only lie over the buttons below. */
const furtherGroups: NonNullable<AutocompleteProps['filter']> = ({ options, search, limit }) => {
  const typed = search.trim();
  return options
    .filter((option) => 'value' in option && option.value !== typed)
    .filter((option) => 'label' in option && option.label.toLowerCase().includes(typed.toLowerCase()))
    .slice(0, limit);
};

export function GroupInput(props: Omit<AutocompleteProps, 'data'>) {
  const groups = useKnownGroups();
  return (
    <Autocomplete
      label="Group"
      maxLength={255}
      data={groups}
      filter={furtherGroups}
      limit={100}
      autoComplete="off"
      spellCheck={false}
      {...props}
    />
  );
}
