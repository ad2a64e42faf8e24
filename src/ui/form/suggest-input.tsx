// Any text of the length that the API takes for a name, with suggestions.
import { Autocomplete, type AutocompleteProps } from '@mantine/core';
import { hiddenNote } from './text-field.tsx';

interface SuggestInputProps extends AutocompleteProps {
  data: string[];
}

export function SuggestInput({ data, ...input }: SuggestInputProps) {
  return (
    <Autocomplete
      maxLength={255}
      // One that is typed already would only cover the buttons below.
      data={data.filter((each) => each !== input.value?.trim())}
      limit={100}
      // A dialog begins in its first field: suggestions would cover the rest of it, and take the first Escape.
      openOnFocus={false}
      autoComplete="off"
      spellCheck={false}
      {...input}
      {...hiddenNote(input.value, input.description)}
    />
  );
}
