// The filters above a list, a button that clears them all, and the count of rows.
import type { ComponentProps, ReactNode, RefObject } from 'react';
import { Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { isFree } from '#/lib/free-key.ts';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { useShortcuts, type Shortcut } from '#/ui/controls/shortcuts.ts';
import { useKeyDown } from '#/ui/controls/use-key-down.ts';
import { Status } from '#/ui/controls/status.tsx';
import classes from './filter-bar.module.css';

interface FilterBarProps extends Omit<ComponentProps<'search'>, 'ref'> {
  label: string;
  /** The field that gets the focus when the filters are cleared, because the Clear button disappears. */
  field?: RefObject<HTMLInputElement | null>;
  /** The key "/" focuses the field. */
  slash?: boolean;
  filtered?: boolean;
  onClear?: () => void;
  /** Shows Clear as an icon. */
  short?: boolean;
  /** How many rows there are, in words. */
  count?: ReactNode;
  /** Shown after Clear. */
  end?: ReactNode;
}

const SHORTCUTS: readonly Shortcut[] = [[['/'], 'Search']];

export function FilterBar(props: FilterBarProps) {
  const { label, field, slash = false, filtered = false, onClear, short = false, count, end, children, ...bar } = props;
  useShortcuts('Filters', SHORTCUTS, slash);
  useKeyDown((event) => {
    if (!slash || event.key !== '/' || !isFree(event)) return;
    event.preventDefault();
    field?.current?.focus();
    field?.current?.select();
  });
  const clear = () => {
    onClear?.();
    field?.current?.focus();
  };
  return (
    <search {...bar} className={`${classes.bar} ${bar.className ?? ''}`} aria-label={label}>
      {children}
      {filtered &&
        (short ? (
          <IconButton icon={IconX} iconSize={18} size={36} label="Clear" title="Clear filters" onClick={clear} />
        ) : (
          <Button
            variant="subtle"
            size="sm"
            px="xs"
            leftSection={<IconX size={16} stroke={1.6} aria-hidden />}
            onClick={clear}
          >
            Clear
          </Button>
        ))}
      {end}
      <Status className={classes.count}>{count}</Status>
    </search>
  );
}
