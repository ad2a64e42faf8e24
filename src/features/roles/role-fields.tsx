// The fields for a role, and for the device groups that it is limited to.
import '@mantine/core/styles/Pill.css';
import '@mantine/core/styles/PillsInput.css';
import { NativeSelect, TagsInput } from '@mantine/core';
import { ROLES, type Role } from '#/contract/permissions.ts';
import { useFleetValues } from '#/features/fleet-values/use-fleet-values.ts';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import type { FormFields } from '#/ui/dialog/form-dialog.tsx';
import { ROLE_CHOICES, ROLE_TEXTS } from './role-words.ts';

/** `Where`: "all" or "some"; `Groups`: one a line. */
export type RoleField = 'Role' | 'Where' | 'Groups';
export const ROLE_LABELS: Record<RoleField, string> = { Role: 'Role', Where: 'Where', Groups: 'Groups' };

const linesOf = (text: string): string[] => text.split('\n').filter(Boolean);

export const roleValues = ({ Role: role, Groups }: { Role: Role; Groups: readonly string[] }) => ({
  Role: role,
  Where: Groups.length > 0 ? 'some' : 'all',
  Groups: Groups.join('\n'),
});

/** As long as no group is chosen, there is an empty one, which is refused: none would mean all groups. */
export function roleBody({ Role: role, Where, Groups }: Record<RoleField, string>): { Role: Role; Groups: string[] } {
  const groups = linesOf(Groups);
  return {
    Role: ROLES.find((each) => each === role) ?? 'Viewer',
    Groups: Where !== 'some' ? [] : groups.length > 0 ? groups : [''],
  };
}

/** Rules of a form with these fields: the error of one group is shown at the field that holds them all. */
export function roleRules<Rules extends { check: (body: unknown) => Record<string, string> }>(rules: Rules): Rules {
  const check = (body: unknown) => {
    const errors = rules.check(body);
    const wrong = Object.entries(errors).find(([field]) => field.startsWith('Groups.'));
    if (!wrong) return errors;
    const isEmpty = (body as { Groups?: string[] }).Groups?.[0] === '';
    return { ...errors, Groups: isEmpty ? 'Choose at least one group' : wrong[1] };
  };
  return { ...rules, check };
}

interface RoleFieldsProps {
  form: FormFields<RoleField>;
  /** Why neither can be changed. */
  why?: string | undefined;
  /** The most powerful role that can be chosen. */
  most?: Role;
  /** Who gets the role. */
  of?: 'person' | 'token';
}

export function RoleFields({ form: { field, values, fill }, why, most = 'Admin', of = 'person' }: RoleFieldsProps) {
  const groups = useFleetValues('group');
  const role = ROLES.find((each) => each === values.Role);
  const error: unknown = field('Groups').error;
  return (
    <>
      <NativeSelect
        data={ROLE_CHOICES.slice(0, ROLES.indexOf(most) + 1)}
        description={why ?? (role && ROLE_TEXTS[role])}
        inputWrapperOrder={['label', 'input', 'description', 'error']}
        disabled={why !== undefined}
        {...field('Role')}
      />
      <SegmentedControl
        aria-label="Where"
        value={values.Where}
        disabled={why !== undefined}
        data={[
          { value: 'all', label: 'All devices' },
          { value: 'some', label: 'Only some groups' },
        ]}
        onChange={(Where) => fill({ Where })}
      />
      {values.Where === 'some' && (
        <TagsInput
          label="Groups"
          description={`Devices of other groups, and those without a group, are not shown to this ${of} at all.`}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          placeholder={values.Groups === '' ? 'Choose or type a group' : ''}
          disabled={why !== undefined}
          data={groups}
          value={linesOf(values.Groups)}
          onChange={(chosen) => fill({ Groups: chosen.join('\n') })}
          error={typeof error === 'string' ? error : undefined}
          maxLength={255}
          acceptValueOnBlur
          splitChars={['\n']}
          clearButtonProps={{ 'aria-label': 'Clear the groups' }}
        />
      )}
    </>
  );
}
