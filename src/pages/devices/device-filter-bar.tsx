// The filters above the device table. Each is part of the URL; typed text goes there after a short pause.
import { useRef, type ReactNode } from 'react';
import { Button, TextInput } from '@mantine/core';
import { IconChevronDown, IconSearch } from '@tabler/icons-react';
import type { FacetValue, RowFilter } from '#/fleet/filter.ts';
import { useActiveFilters } from '#/features/device-filters/filter-chips.tsx';
import { isFiltered } from '#/features/device-filters/filter-words.ts';
import type { Facets } from '#/features/device-filters/use-facets.ts';
import { formatCount } from '#/lib/format.ts';
import { lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { FilterBar } from '#/ui/table/filter-bar.tsx';
import { SkipToRows } from '#/ui/table/skip-to-rows.tsx';
import { useTyped } from '#/ui/url/use-typed.ts';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import classes from './device-filter-bar.module.css';

const FacetPickers = lazyPart(() => import('#/features/device-filters/facet-pickers.tsx'), 'FacetPickers');

/** Pause after the last key before the filter is applied when it is answered from memory, in milliseconds. */
const SHORT_PAUSE = 60;

interface DeviceFilterBarProps extends Facets {
  filter: RowFilter;
  /** `typed`: one of many small steps, not worth an entry in the history. */
  onChange: (change: RowFilter, typed: boolean) => void;
  onClear: () => void;
  /** Loads the whole fleet; undefined if it is loaded or loads automatically. */
  onLoadFleet: (() => void) | undefined;
  /** The first rows are shown, so loading the pickers no longer delays them. */
  hasRows: boolean;
  children?: ReactNode;
}

export function DeviceFilterBar({
  filter,
  onChange,
  onClear,
  onLoadFleet,
  hasRows,
  children,
  ...counts
}: DeviceFilterBarProps) {
  const { facets } = counts;
  const field = useRef<HTMLInputElement>(null);
  const filtered = isFiltered(filter);
  const search = useTyped(
    filter.search ?? '',
    (text) => onChange({ search: text }, true),
    facets ? SHORT_PAUSE : undefined,
  );
  const status = filter.status?.join() ?? '';
  const change = (wanted: RowFilter) => onChange(wanted, false);
  return (
    <FilterBar
      label="Filter devices"
      className={classes.bar}
      field={field}
      slash
      filtered={filtered}
      onClear={() => {
        search.empty();
        onClear();
      }}
      short
      end={children}
      active={useActiveFilters(filter, change)}
      filters={
        <>
          <SegmentedControl
            size="sm"
            aria-label="Filter by status"
            value={status}
            onChange={(value) => change({ status: value ? [value] : [] })}
            data={[
              { value: '', label: 'All' },
              { value: 'online', label: <Counted label="Online" of={facets?.status} isComing={!onLoadFleet} /> },
              { value: 'offline', label: <Counted label="Offline" of={facets?.status} isComing={!onLoadFleet} /> },
            ]}
          />
          <FacetPickers
            open={{ filter, facets, onLoadFleet, onChange: change }}
            isUrgent={hasRows}
            fallback={<PickerPlaceholders />}
          />
        </>
      }
    >
      <TextInput
        ref={field}
        className={classes.search}
        aria-label="Search devices by name or ID, group, customer, site or tag"
        placeholder="Name, ID, group, site…"
        leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
        rightSectionPointerEvents="none"
        rightSection={
          <kbd className={classes.key} aria-hidden>
            /
          </kbd>
        }
        aria-keyshortcuts="/"
        value={search.typed}
        onChange={(event) => search.setTyped(event.currentTarget.value)}
        autoComplete="off"
        spellCheck={false}
      />
      <SkipToRows />
    </FilterBar>
  );
}

/** `isComing`: the counts are loading, so their space is reserved. */
function Counted(props: { label: string; of: readonly FacetValue[] | undefined; isComing: boolean }) {
  const { label, of, isComing } = props;
  const count = of && formatCount(of.find(({ value }) => value === label)?.count ?? 0);
  return (
    <>
      {label} {(of || isComing) && <span className={classes.count}>{count}</span>}
    </>
  );
}

function PickerPlaceholders() {
  return ['Group', 'Tag'].map((label) => (
    <Button
      key={label}
      size="sm"
      px={8}
      disabled
      fw={400}
      rightSection={<IconChevronDown size={14} stroke={1.6} aria-hidden />}
    >
      {label}
    </Button>
  ));
}
