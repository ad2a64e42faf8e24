// The bar above the map: the filters of the table, and a link to the table.
import { ActionIcon, Button, TextInput } from '@mantine/core';
import { IconList, IconMap2, IconSearch, IconTable, IconX } from '@tabler/icons-react';
import { FacetPickers } from '#/features/device-filters/facet-pickers.tsx';
import { useActiveFilters } from '#/features/device-filters/filter-chips.tsx';
import { paths } from '#/paths.ts';
import { ViewsMenu } from '#/features/saved-views/views-menu.tsx';
import { ActiveFilters } from '#/ui/table/active-filters.tsx';
import { FilterSheetButton } from '#/ui/table/filter-sheet-button.tsx';
import { useIsPhone } from '#/ui/controls/use-is-phone.ts';
import { useTyped } from '#/ui/url/use-typed.ts';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { Link } from '#/ui/url/link.tsx';
import type { FleetMapModel } from './use-fleet-map.ts';
import { useMapView } from './use-map-view.ts';
import classes from './map-page.module.css';

const STATUSES = [
  { value: '', label: 'All' },
  { value: 'online', label: 'Online' },
  { value: 'offline', label: 'Offline' },
];
const icon = { size: 16, stroke: 1.6, 'aria-hidden': true } as const;

/** The visible title, in the bar to save space; the heading itself is for screen readers only. */
export const MapTitle = () => (
  <span className={classes.title} aria-hidden>
    Map
  </span>
);

export function MapBar({ model: { url, shown, state, change } }: { model: FleetMapModel }) {
  const { filter, setFilter, words } = url;
  const { isListOpen } = state;
  const search = useTyped(filter.search ?? '', (text) => setFilter({ search: text }));
  const views = useMapView(url);
  const isNarrow = useIsPhone(860);
  const active = useActiveFilters(filter, setFilter);
  const clear = () => {
    search.empty();
    url.clearFilter();
  };
  const table = `${paths.devices()}${words && `?${words}`}`;
  const filters = (
    <>
      <ViewsMenu {...views} />
      <SegmentedControl
        aria-label="State"
        data={STATUSES}
        value={filter.status?.join() ?? ''}
        onChange={(value) => setFilter({ status: value ? [value] : [] })}
      />
      <FacetPickers filter={filter} facets={shown.facets} onChange={setFilter} />
    </>
  );
  return (
    <div className={classes.bar}>
      <MapTitle />
      <TextInput
        aria-label="Search devices by name or ID, group, customer, site or tag"
        placeholder="Name, ID, group, site…"
        leftSection={<IconSearch {...icon} />}
        value={search.typed}
        onChange={(event) => search.setTyped(event.currentTarget.value)}
        className={classes.search}
      />
      {isNarrow ? (
        <>
          <FilterSheetButton on={active.length} count="" onClear={words === '' ? undefined : clear}>
            {filters}
            <Button component={Link} to={table} leftSection={<IconTable {...icon} />}>
              These devices as a table
            </Button>
          </FilterSheetButton>
          <Button
            variant="default"
            leftSection={isListOpen ? <IconMap2 {...icon} /> : <IconList {...icon} />}
            onClick={() => change({ isListOpen: !isListOpen })}
          >
            {isListOpen ? 'Map' : 'List'}
          </Button>
        </>
      ) : (
        <>
          {filters}
          {words !== '' && <IconButton icon={IconX} iconSize={18} size={36} label="Clear filters" onClick={clear} />}
          <ActionIcon
            variant="default"
            size={36}
            component={Link}
            to={table}
            className={classes.toTable}
            aria-label="Table"
            title="These devices as a table"
          >
            <IconTable size={18} stroke={1.6} aria-hidden />
          </ActionIcon>
        </>
      )}
      <ActiveFilters filters={isNarrow ? active : active.filter(({ hasControl }) => !hasControl)} />
    </div>
  );
}
