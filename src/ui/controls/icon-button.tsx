// A button with an icon only, as in table rows; its name is in the tooltip and read by screen readers.
import { ActionIcon, type ActionIconProps, type ElementProps } from '@mantine/core';
import type { TablerIcon } from '@tabler/icons-react';

interface IconButtonProps extends ActionIconProps, ElementProps<'button', keyof ActionIconProps> {
  icon: TablerIcon;
  /** "Delete camera-7" */
  label: string;
  iconSize?: number;
  /** Disabled, but still focusable, so that it does not lose the focus. */
  off?: boolean;
}

export function IconButton({ icon: Icon, label, iconSize = 16, off = false, onClick, ...button }: IconButtonProps) {
  return (
    <ActionIcon
      aria-label={label}
      title={label}
      {...(off ? { 'aria-disabled': true, 'data-disabled': true } : { onClick })}
      {...button}
    >
      <Icon size={iconSize} stroke={1.6} aria-hidden />
    </ActionIcon>
  );
}
