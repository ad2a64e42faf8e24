// Tools at the end of the filter bar: sort (on phones, where the table has no header), map, columns and export.
import { ActionIcon, Button, NativeSelect } from '@mantine/core';
import { IconColumns3, IconFileExport, IconLayoutSidebarRight, IconMap2 } from '@tabler/icons-react';
import { filterWords } from '#/features/device-filters/filter-words.ts';
import { paths } from '#/paths.ts';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { useIsPhone } from '#/ui/controls/use-is-phone.ts';
import { printSort } from '#/ui/table/sort.ts';
import { Link } from '#/ui/url/link.tsx';
import type { TableColumn } from './table/table-columns.tsx';
import type { FleetView } from './view/fleet-view.ts';
import type { FleetViewSteps } from './view/use-fleet-view.ts';
import classes from './device-filter-bar.module.css';

const button = { variant: 'default', size: 36, iconSize: 18 } as const;

interface TableToolsProps {
  view: FleetView;
  columns: readonly TableColumn[];
  onSort: FleetViewSteps['sortBy'];
  onColumns: () => void;
  onExport: () => void;
  /** Opens the panel beside the table; undefined while it is open, or has no room. */
  onPanel: (() => void) | undefined;
}

export function TableTools({ view: { filter, sort }, columns, onSort, onColumns, onExport, onPanel }: TableToolsProps) {
  const isPhone = useIsPhone();
  const map = `${paths.map()}?${filterWords(filter)}`;
  const sorter = (
    <NativeSelect
      size="sm"
      aria-label="Sort by"
      value={sort ? printSort(sort) : ''}
      onChange={({ currentTarget: { value } }) =>
        onSort(value ? { by: value.replace('-', ''), down: value.startsWith('-') } : undefined)
      }
      data={[
        { value: '', label: 'Sort' },
        ...columns
          .filter(({ isApart = false }) => !isApart)
          .flatMap(({ id, label }) => [
            { value: id, label },
            { value: `-${id}`, label: `${label}, descending` },
          ]),
      ]}
    />
  );
  if (isPhone)
    return (
      <>
        {sorter}
        <Button component={Link} to={map} leftSection={<IconMap2 size={18} stroke={1.6} aria-hidden />}>
          On the map
        </Button>
        <Button leftSection={<IconFileExport size={18} stroke={1.6} aria-hidden />} onClick={onExport}>
          Export CSV
        </Button>
      </>
    );
  return (
    <>
      <ActionIcon
        variant="default"
        size={36}
        component={Link}
        to={map}
        className={classes.first}
        aria-label="On the map"
        title="These devices on the map"
      >
        <IconMap2 size={18} stroke={1.6} aria-hidden />
      </ActionIcon>
      <IconButton {...button} icon={IconColumns3} label="Columns" onClick={onColumns} />
      <IconButton
        {...button}
        icon={IconFileExport}
        label="Export CSV"
        title="Export what the table shows as CSV"
        onClick={onExport}
      />
      {onPanel && (
        <IconButton {...button} icon={IconLayoutSidebarRight} label="Show the device panel" onClick={onPanel} />
      )}
    </>
  );
}
