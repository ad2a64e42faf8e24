// The filters above a list, a button that clears them all, and the count of rows. On a phone the filters are in a sheet, and
// those that are on stay in view.
import type { ComponentProps, ReactNode, RefObject } from 'react';
import { Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { isFree } from '#/lib/free-key.ts';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { useShortcuts, type Shortcut } from '#/ui/controls/shortcuts.ts';
import { useKeyDown } from '#/ui/controls/use-key-down.ts';
import { Status } from '#/ui/controls/status.tsx';
import { useIsPhone } from '#/ui/controls/use-is-phone.ts';
import { ActiveFilters, type ActiveFilter } from './active-filters.tsx';
import { FilterSheetButton } from './filter-sheet-button.tsx';
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
  /** Shown after Clear; on a phone at the end of the sheet. */
  end?: ReactNode;
  /** The filters beside the search. */
  filters?: ReactNode;
  /** Those that are on. */
  active?: readonly ActiveFilter[];
}

const SHORTCUTS: readonly Shortcut[] = [[['/'], 'Search']];

export function FilterBar(props: FilterBarProps) {
  const {
    label,
    field,
    slash = false,
    filtered = false,
    onClear,
    short = false,
    count,
    end,
    children,
    ...rest
  } = props;
  const { filters, active = [], ...bar } = rest;
  const isPhone = useIsPhone();
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
  if (isPhone && filters)
    return (
      <search {...bar} className={`${classes.bar} ${bar.className ?? ''}`} aria-label={label}>
        {children}
        <FilterSheetButton on={active.length} count={count} onClear={filtered ? clear : undefined}>
          {filters}
          {end}
        </FilterSheetButton>
        <ActiveFilters filters={active} />
        <Status className={classes.count}>{count}</Status>
      </search>
    );
  return (
    <search {...bar} className={`${classes.bar} ${bar.className ?? ''}`} aria-label={label}>
      {children}
      {filters}
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
      <ActiveFilters filters={active.filter(({ hasControl }) => !hasControl)} />
      <Status className={classes.count}>{count}</Status>
    </search>
  );
}
