// The group of a device: any name, with those in use as suggestions. Somebody whose role covers some groups chooses one of
// these, since a device anywhere else would be out of their sight.
import { NativeSelect } from '@mantine/core';
import { useOwnGroups } from '#/api/people.ts';
import { SuggestInput } from '#/ui/form/suggest-input.tsx';

interface GroupInputProps {
  label?: string;
  value?: string;
  onChange?: (group: string) => void;
  error?: unknown;
  /** Shown where any name can be typed. */
  description?: string;
  required?: boolean;
  /** Groups to suggest. */
  data: string[];
}

export function GroupInput({ data, description, ...input }: GroupInputProps) {
  const own = useOwnGroups();
  const { value = '', onChange, error, label, required } = input;
  if (!own)
    return <SuggestInput data={data} {...(description !== undefined && { description })} {...(input as object)} />;
  return (
    <NativeSelect
      label={label}
      required={required ?? false}
      description="The groups that your role covers."
      value={value}
      error={typeof error === 'string' ? error : undefined}
      data={own.includes(value) ? [...own] : [{ value, label: value || 'Choose a group' }, ...own]}
      onChange={(event) => onChange?.(event.currentTarget.value)}
    />
  );
}
