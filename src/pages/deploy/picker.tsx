// A field of the deploy page in which the user picks one of many by name.
import { Select, type SelectProps } from '@mantine/core';

export interface PickerProps {
  /** '' if nothing is chosen yet. */
  value: string;
  onPick: (value: string) => void;
}

/** `label`: the kind of object, as in "Artifact". */
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
