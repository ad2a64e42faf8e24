// Above the map: the table's filters, and the ways to all that is placed and to the table.
import { useState } from 'react';
import { Link } from 'react-router';
import { Button, SegmentedControl, Select, TextInput } from '@mantine/core';
import { IconFilter, IconList, IconMap2, IconSearch, IconTable } from '@tabler/icons-react';
import type { FacetValue } from '#/api/fleet/filter.ts';
import { paths } from '#/paths.ts';
import { formatCount } from '#/ui/format.ts';
import { useTyped } from '#/ui/use-typed.ts';
import type { MapUrl } from './use-map-url.ts';
import classes from './map-page.module.css';

interface MapBarProps {
  url: MapUrl;
  groups: readonly FacetValue[];
  placed: number;
  other: number;
  listOpen: boolean;
  onList: (open: boolean) => void;
  onShowAll: () => void;
}

const STATUSES = [
  { value: '', label: 'Any' },
  { value: 'Online', label: 'Online' },
  { value: 'Offline', label: 'Offline' },
];
const icon = { size: 16, stroke: 1.6, 'aria-hidden': true } as const;

/** The page's title, where it takes no room of its own; the heading itself is said, not shown. */
export const MapTitle = () => (
  <span className={classes['title']} aria-hidden>
    Map
  </span>
);

export function MapBar(props: MapBarProps) {
  const { url, groups, placed, other, listOpen, onList } = props;
  const { params, set, words } = url;
  const name = useTyped(params.get('name') ?? '', (text) => set({ name: text }));
  const chosenGroups = params.getAll('group').filter(Boolean);
  const status = STATUSES.find(({ value }) => value.toLowerCase() === (params.get('status') ?? '').toLowerCase());
  const [isOpen, setOpen] = useState(false);
  const filters = new Set(new URLSearchParams(words).keys());
  filters.delete('name');
  return (
    <div className={classes['bar']}>
      <MapTitle />
      <TextInput
        aria-label="Filter by name"
        placeholder="Filter by name"
        leftSection={<IconSearch {...icon} />}
        value={name.typed}
        onChange={(event) => name.setTyped(event.currentTarget.value)}
        className={classes['search'] ?? ''}
      />
      <Button
        className={classes['toggle'] ?? ''}
        variant="default"
        aria-expanded={isOpen}
        leftSection={<IconFilter {...icon} />}
        onClick={() => setOpen(!isOpen)}
      >
        Filters{filters.size > 0 && ` ${filters.size}`}
      </Button>
      <Button
        className={classes['toggle'] ?? ''}
        variant="default"
        leftSection={listOpen ? <IconMap2 {...icon} /> : <IconList {...icon} />}
        onClick={() => onList(!listOpen)}
      >
        {listOpen ? 'Map' : 'List'}
      </Button>
      <div className={classes['more']} data-open={isOpen}>
        <Select
          aria-label="Group"
          placeholder={chosenGroups.length > 1 ? `${chosenGroups.length} groups` : 'Any group'}
          data={groups.filter(({ value }) => value !== '').map(({ value }) => value)}
          value={chosenGroups.length === 1 ? (chosenGroups[0] ?? null) : null}
          onChange={(value) => set({ group: value ?? undefined })}
          limit={200}
          clearable
          searchable
          clearButtonProps={{ 'aria-label': 'Clear the group' }}
          className={classes['group'] ?? ''}
        />
        <SegmentedControl
          aria-label="State"
          data={STATUSES}
          value={status?.value ?? ''}
          onChange={(value) => set({ status: value })}
        />
        {words !== '' && (
          <Button variant="subtle" onClick={url.clearFilter}>
            Clear filters
          </Button>
        )}
        <span className={classes['count']} role="status">
          {formatCount(placed)} on the map{other > 0 && ` · ${formatCount(other)} without a place`}
        </span>
        <Button
          variant="default"
          disabled={placed === 0}
          title={placed === 0 ? 'No device of this filter has a place' : undefined}
          onClick={props.onShowAll}
        >
          Show all
        </Button>
        <Button
          variant="default"
          component={Link}
          to={`${paths.devices()}${words && `?${words}`}`}
          leftSection={<IconTable {...icon} />}
        >
          Table
        </Button>
      </div>
    </div>
  );
}
