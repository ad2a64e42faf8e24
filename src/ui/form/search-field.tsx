// A search field with a button that clears it.
import type { Ref } from 'react';
import { CloseButton, TextInput, type TextInputProps } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { useTyped } from '#/ui/url/use-typed.ts';

interface SearchFieldProps extends Pick<TextInputProps, 'className' | 'size' | 'aria-keyshortcuts'> {
  label: string;
  placeholder?: string;
  /** The label of the button that clears it. */
  clear?: string;
  text: ReturnType<typeof useTyped>;
  ref?: Ref<HTMLInputElement>;
}

export function SearchField(props: SearchFieldProps) {
  const { label, placeholder = label, clear = 'Clear the search', text, ...input } = props;
  return (
    <TextInput
      {...input}
      aria-label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
      value={text.typed}
      onChange={(event) => text.setTyped(event.currentTarget.value)}
      rightSection={
        text.typed && (
          <CloseButton
            size="sm"
            aria-label={clear}
            onClick={() => {
              text.setTyped('');
              text.send('');
            }}
          />
        )
      }
      autoComplete="off"
      spellCheck={false}
    />
  );
}
