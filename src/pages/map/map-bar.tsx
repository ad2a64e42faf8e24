// The bar above the map: the filters of the table, and a link to the table.
import { formatCount } from '#/lib/format.ts';
import { useState } from 'react';
import { ActionIcon, Button, TextInput } from '@mantine/core';
import { IconFilter, IconList, IconMap2, IconSearch, IconTable, IconX } from '@tabler/icons-react';
import { FacetPickers } from '#/features/device-filters/facet-pickers.tsx';
import { FilterChips } from '#/features/device-filters/filter-chips.tsx';
import { paths } from '#/paths.ts';
import { ViewsMenu } from '#/features/saved-views/views-menu.tsx';
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
  const status = filter.status?.length === 1 ? STATUSES.find(({ value }) => value === filter.status?.[0]) : undefined;
  const views = useMapView(url);
  const [isOpen, setOpen] = useState(false);
  const filters = new Set(new URLSearchParams(words).keys());
  filters.delete('q');
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
      <Button
        className={classes.toggle}
        variant="default"
        aria-expanded={isOpen}
        leftSection={<IconFilter {...icon} />}
        onClick={() => setOpen(!isOpen)}
      >
        Filters{filters.size > 0 && ` ${formatCount(filters.size)}`}
      </Button>
      <Button
        className={classes.toggle}
        variant="default"
        leftSection={isListOpen ? <IconMap2 {...icon} /> : <IconList {...icon} />}
        onClick={() => change({ isListOpen: !isListOpen })}
      >
        {isListOpen ? 'Map' : 'List'}
      </Button>
      <div className={classes.more} data-open={isOpen}>
        <ViewsMenu {...views} />
        <SegmentedControl
          aria-label="State"
          data={STATUSES}
          value={status?.value ?? ''}
          onChange={(value) => setFilter({ status: value ? [value] : [] })}
        />
        <FacetPickers filter={filter} facets={shown.facets} neverSeen={shown.neverSeen} onChange={setFilter} />
        {words !== '' && (
          <IconButton
            icon={IconX}
            iconSize={18}
            size={36}
            label="Clear filters"
            onClick={() => {
              search.empty();
              url.clearFilter();
            }}
          />
        )}
        <ActionIcon
          variant="default"
          size={36}
          component={Link}
          to={`${paths.devices()}${words && `?${words}`}`}
          className={classes.toTable}
          aria-label="Table"
          title="These devices as a table"
        >
          <IconTable size={18} stroke={1.6} aria-hidden />
        </ActionIcon>
        <FilterChips filter={filter} onChange={setFilter} />
      </div>
    </div>
  );
}
