// Where the fleet is: clusters that show the Online share, a list in step with the map, and the devices that have no
// place yet. The view, the filters and the open card are in the URL.
import 'leaflet/dist/leaflet.css';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { Button, SegmentedControl, Select, TextInput, useComputedColorScheme } from '@mantine/core';
import { IconList, IconMap2, IconSearch } from '@tabler/icons-react';
import type L from 'leaflet';
import { AttributionControl, MapContainer, ScaleControl, useMapEvents } from 'react-leaflet';
import { deviceQueries } from '#/api/devices.ts';
import { fleetQueries } from '#/api/fleet.ts';
import type { FleetFilter } from '#/paths.ts';
import { formatCount } from '#/ui/format.ts';
import { Page } from '#/ui/page.tsx';
import { useTyped } from '#/ui/use-typed.ts';
import { View } from '#/ui/view.tsx';
import { BaseMapLayer } from './base-map/base-map-layer.tsx';
import { DeviceList } from './device-list.tsx';
import { FleetLayer, boundsOf } from './fleet-layer.tsx';
import { NoFleet } from './no-fleet.tsx';
import { filterDevices, placeDevices, printView, readView } from './placed-devices.ts';
import type { MapDevice } from './placed-devices.ts';
import classes from './map-page.module.css';

const FILTERS = ['name', 'group', 'status', 'id', 'tag'] as const;
const STATUSES = [
  { value: '', label: 'Any' },
  { value: 'Online', label: 'Online' },
  { value: 'Offline', label: 'Offline' },
];

export function MapPage() {
  const fleet = useQuery(fleetQueries.all());
  const locations = useQuery(deviceQueries.locations());
  const query = {
    data: useMemo(
      () => (fleet.data && locations.data ? placeDevices(fleet.data, locations.data) : undefined),
      [fleet.data, locations.data],
    ),
    error: fleet.error ?? locations.error,
    isFetching: fleet.isFetching || locations.isFetching,
    refetch: () => Promise.all([fleet.refetch(), locations.refetch()]),
  };
  return (
    <Page title="Map" full>
      <View query={query} name="the map" isEmpty={(devices) => devices.length === 0} empty={<NoFleet />} rows={14}>
        {(devices) => <FleetMap devices={devices} />}
      </View>
    </Page>
  );
}

/** Tells the page what part of the world it shows. */
function FollowView({ onMove }: { onMove: (map: L.Map) => void }) {
  const map = useMapEvents({ moveend: () => onMove(map) });
  return null;
}

/** How long the map rests before its view goes into the URL: browsers limit how often an address may change. */
const REST = 250;

function FleetMap({ devices }: { devices: MapDevice[] }) {
  const [params, setParams] = useSearchParams();
  const scheme = useComputedColorScheme('light');
  const [map, setMap] = useState<L.Map | null>(null);
  const [bounds, setBounds] = useState<L.LatLngBounds>();
  const [hovered, setHovered] = useState<string>();
  const [tab, setTab] = useState('view');
  const [listOpen, setListOpen] = useState(false);

  const filterKey = FILTERS.map((name) => params.get(name) ?? '').join('\n');
  const filter: FleetFilter = Object.fromEntries(FILTERS.map((name) => [name, params.get(name) ?? '']));
  // The key stands for the five values of the filter.
  const found = useMemo(() => filterDevices(devices, filter), [devices, filterKey]); // oxlint-disable-line react/exhaustive-deps
  const placed = useMemo(() => found.filter(({ placement }) => placement === 'placed'), [found]);
  const other = useMemo(() => found.filter(({ placement }) => placement !== 'placed'), [found]);
  const inView = useMemo(
    () =>
      placed
        .filter(({ lat, lng }) => !bounds || bounds.contains([lat, lng]))
        .toSorted((a, b) => a.device.DeviceName.localeCompare(b.device.DeviceName)),
    [placed, bounds],
  );
  const groups = useMemo(
    () => [...new Set(devices.map(({ device }) => device.DeviceGroup).filter(Boolean))].toSorted(),
    [devices],
  );
  const chosenId = params.get('device') ?? undefined;
  const chosen = devices.find(({ device }) => device.DeviceId === chosenId);

  // Replacing, so that Back leaves the page instead of replaying every pan and letter.
  const set = (changes: Record<string, string | undefined>) =>
    setParams(
      (now) => {
        const next = new URLSearchParams(now);
        for (const [name, value] of Object.entries(changes))
          if (value) next.set(name, value);
          else next.delete(name);
        return next;
      },
      { replace: true },
    );
  const latest = useRef(set);
  useEffect(() => {
    latest.current = set;
  });
  const [view, setView] = useState<string>();
  useEffect(() => {
    if (view === undefined) return;
    const timer = setTimeout(() => latest.current({ at: view }), REST);
    return () => clearTimeout(timer);
  }, [view]);
  const name = useTyped(params.get('name') ?? '', (text) => set({ name: text }));
  const start = useState(() => readView(params.get('at')))[0];
  const startBounds = useState(() => (placed.length > 0 ? boundsOf(placed) : undefined))[0];
  const choose = (id: string) => {
    const entry = devices.find(({ device }) => device.DeviceId === id);
    if (entry && map) map.setView([entry.lat, entry.lng], Math.max(map.getZoom(), 9));
    set({ device: id });
    setListOpen(false);
  };

  return (
    <div className={classes['page']}>
      <div className={classes['bar']}>
        <TextInput
          aria-label="Filter by name"
          placeholder="Filter by name"
          leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
          value={name.typed}
          onChange={(event) => name.setTyped(event.currentTarget.value)}
          className={classes['search'] ?? ''}
        />
        <Select
          aria-label="Group"
          placeholder="Any group"
          data={groups}
          value={params.get('group')}
          onChange={(value) => set({ group: value ?? undefined })}
          clearable
          searchable
          clearButtonProps={{ 'aria-label': 'Clear the group' }}
        />
        <SegmentedControl
          aria-label="State"
          data={STATUSES}
          value={params.get('status') ?? ''}
          onChange={(value) => set({ status: value })}
        />
        <span className={classes['count']} role="status">
          {formatCount(placed.length)} on the map{other.length > 0 && ` · ${formatCount(other.length)} without a place`}
        </span>
        <Button
          variant="default"
          disabled={placed.length === 0}
          title={placed.length === 0 ? 'No device of this filter has a place' : undefined}
          onClick={() => map?.fitBounds(boundsOf(placed), { padding: [40, 40], maxZoom: 13 })}
        >
          Show all
        </Button>
        <Button
          className={classes['toggle'] ?? ''}
          variant="default"
          leftSection={listOpen ? <IconMap2 size={16} aria-hidden /> : <IconList size={16} aria-hidden />}
          onClick={() => setListOpen(!listOpen)}
        >
          {listOpen ? 'Map' : 'List'}
        </Button>
      </div>
      <div className={classes['body']} data-list={listOpen}>
        <section className={classes['map']} aria-label="Map of device locations">
          <MapContainer
            ref={setMap}
            {...(start
              ? { center: [start.lat, start.lng] as [number, number], zoom: start.zoom }
              : startBounds
                ? { bounds: startBounds, boundsOptions: { padding: [40, 40] as [number, number], maxZoom: 11 } }
                : { center: [25, 10] as [number, number], zoom: 2 })}
            minZoom={2}
            maxZoom={18}
            zoomControl
            attributionControl={false}
            worldCopyJump
            className={classes['canvas'] ?? ''}
          >
            <BaseMapLayer scheme={scheme} />
            <AttributionControl prefix={false} />
            <ScaleControl position="bottomleft" />
            <FleetLayer
              devices={placed}
              scheme={scheme}
              chosen={chosen}
              onChoose={(id) => set({ device: id })}
              hovered={hovered}
            />
            <FollowView
              onMove={(moved) => {
                setBounds(moved.getBounds());
                const { lat, lng } = moved.getCenter().wrap();
                setView(printView({ lat, lng, zoom: moved.getZoom() }));
              }}
            />
          </MapContainer>
        </section>
        <aside className={classes['side']} aria-label="Devices beside the map">
          <SegmentedControl
            fullWidth
            aria-label="Which devices to list"
            value={tab}
            onChange={setTab}
            data={[
              { value: 'view', label: `In view ${formatCount(inView.length)}` },
              { value: 'unplaced', label: `No place ${formatCount(other.length)}` },
            ]}
          />
          {tab === 'view' ? (
            <DeviceList
              name="Devices in view"
              devices={inView}
              none={
                placed.length === 0 ? 'No device of this filter has a place.' : 'No device in this part of the map.'
              }
              chosen={chosenId}
              onChoose={choose}
              onHover={setHovered}
            />
          ) : (
            <DeviceList
              name="Devices without a place"
              devices={other}
              none="Every device has a place."
              chosen={chosenId}
              onChoose={choose}
              onHover={setHovered}
            />
          )}
        </aside>
      </div>
    </div>
  );
}
