// A button that is only an icon, as in the rows of a table: its name is for screen readers, and in the tooltip.
import { ActionIcon } from '@mantine/core';
import type { TablerIcon } from '@tabler/icons-react';

interface IconButtonProps {
  icon: TablerIcon;
  /** "Delete camera-7" */
  label: string;
  title?: string;
  color?: 'gray' | 'red';
  iconSize?: number;
  disabled?: boolean;
  onClick: () => void;
}

export function IconButton({
  icon: Icon,
  label,
  title = label,
  color = 'gray',
  iconSize = 16,
  ...button
}: IconButtonProps) {
  return (
    <ActionIcon color={color} aria-label={label} title={title} {...button}>
      <Icon size={iconSize} stroke={1.6} aria-hidden />
    </ActionIcon>
  );
}
