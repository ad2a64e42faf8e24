// The field of a deploy in which a person picks one of many by name.
import { Select, type SelectProps } from '@mantine/core';

export interface PickerProps {
  /** '': nothing is chosen yet. */
  value: string;
  onPick: (value: string) => void;
}

/** `label`: what is picked: "Artifact". */
export function Picker({ label, value, onPick, ...select }: SelectProps & PickerProps & { label: string }) {
  return (
    <Select
      label={label}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': `Clear the ${label.toLowerCase()}` }}
      value={value || null}
      onChange={(id) => onPick(id ?? '')}
      nothingFoundMessage={`No matching ${label.toLowerCase()}`}
      maxDropdownHeight={320}
      {...select}
    />
  );
}
