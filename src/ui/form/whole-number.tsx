// A field for a whole number. While typing, the text may be empty or out of range; only valid numbers are reported.
import { useState } from 'react';
import { TextInput, type TextInputProps } from '@mantine/core';

interface WholeNumberProps extends Pick<
  TextInputProps,
  'id' | 'label' | 'aria-label' | 'description' | 'error' | 'size'
> {
  value: number;
  min: number;
  max?: number;
  onChange: (value: number) => void;
}

export function WholeNumber({ value, min, max, onChange, ...input }: WholeNumberProps) {
  const [typed, setTyped] = useState<string>();
  return (
    <TextInput
      {...input}
      type="number"
      min={min}
      max={max}
      value={typed ?? value}
      onChange={({ currentTarget: { value: text } }) => {
        setTyped(text);
        const number = Number(text);
        if (text !== '' && Number.isInteger(number) && number >= min && number <= (max ?? number)) onChange(number);
      }}
      onBlur={() => setTyped(undefined)}
    />
  );
}
