// The filters above a list, a button that clears them all, and the count of rows.
import { useState, type ComponentProps, type ReactNode, type RefObject } from 'react';
import { Button } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconFilter, IconX } from '@tabler/icons-react';
import { formatCount } from '#/lib/format.ts';
import { isFree } from '#/lib/free-key.ts';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { useShortcuts, type Shortcut } from '#/ui/controls/shortcuts.ts';
import { useKeyDown } from '#/ui/controls/use-key-down.ts';
import { lazyDialog } from '#/ui/late/lazy-dialog.tsx';
import { Status } from '#/ui/controls/status.tsx';
import { Chips, type Chip } from './chips.tsx';
import classes from './filter-bar.module.css';

const FilterSheet = lazyDialog(() => import('./filter-sheet.tsx'), 'FilterSheet');

/** Whether lists show their filters in a sheet. */
export const useIsPhone = () => useMediaQuery('(max-width: 640px)', false, { getInitialValueInEffect: false });

interface FilterBarProps extends Omit<ComponentProps<'search'>, 'ref'> {
  label: string;
  /** What stays in view on a phone, where the filters, the children, are in a sheet. */
  search?: ReactNode;
  /** The filters in use among the children, which a phone shows below the search. */
  chips?: readonly Chip[];
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
  const { label, field, slash = false, filtered = false, onClear, short = false, count, end, ...rest } = props;
  const { search, chips = [], children, ...bar } = rest;
  const [isOpen, setOpen] = useState(false);
  const isSheet = useIsPhone() && Boolean(children);
  const close = () => setOpen(false);
  useShortcuts('Filters', SHORTCUTS, slash);
  useKeyDown((event) => {
    if (!slash || event.key !== '/' || !isFree(event)) return;
    event.preventDefault();
    field?.current?.focus();
    field?.current?.select();
  });
  const clear = () => {
    onClear?.();
    if (!isOpen) field?.current?.focus();
  };
  return (
    <search {...bar} className={`${classes.bar} ${bar.className ?? ''}`} aria-label={label}>
      {search}
      {isSheet ? (
        <Button
          className={classes.open}
          aria-haspopup="dialog"
          data-chosen={chips.length > 0 || undefined}
          leftSection={<IconFilter size={16} stroke={1.6} aria-hidden />}
          onClick={() => setOpen(true)}
        >
          Filters
          {chips.length > 0 && (
            <span className={classes.on}>
              {formatCount(chips.length)}
              <span className="visually-hidden"> on</span>
            </span>
          )}
        </Button>
      ) : (
        children
      )}
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
      {isSheet && <Chips chips={chips} />}
      {isSheet && (
        <FilterSheet open={isOpen && { count, onClose: close, onClear: filtered ? clear : undefined, children }} />
      )}
    </search>
  );
}
