// The filters of the tunnels, each in the URL, and from which age on a tunnel counts as old.
import { NativeSelect, Select } from '@mantine/core';
import type { Tunnel } from '#/contract/tunnels.ts';
import { FilterRow } from '#/ui/table/filter-row.tsx';
import type { Address } from '#/ui/url/use-address.ts';
import { AGES, EXPOSURES, NO_TUNNEL_FILTER, deviceOf, exposureText } from './exposure.ts';
import type { TunnelView } from './exposure.ts';
import classes from './tunnels-page.module.css';

const sorted = (values: Iterable<string>) =>
  [...new Set(values)].filter(Boolean).toSorted((a, b) => a.localeCompare(b));

interface TunnelFiltersProps {
  tunnels: readonly Tunnel[];
  view: TunnelView;
  address: Address;
  /** How many there are, in words. */
  count: string;
}

export function TunnelFilters({ tunnels, view, address, count }: TunnelFiltersProps) {
  const devices = new Map(tunnels.map((tunnel) => [deviceOf(tunnel), tunnel.DeviceName || deviceOf(tunnel)]));
  devices.delete('');
  const isTold = devices.size > 0;
  // What is filtered by is always among the options, whatever the list says.
  if (view.device && !devices.has(view.device)) devices.set(view.device, view.device);
  const protocols = sorted([...tunnels.map(({ Protocol }) => Protocol.toUpperCase()), view.protocol.toUpperCase()]);
  const isFiltered = Boolean(view.device || view.protocol || view.exposure);
  return (
    <FilterRow label="Filter tunnels" filtered={isFiltered} onClear={() => address.set(NO_TUNNEL_FILTER)} count={count}>
      <Select
        className={classes.device}
        aria-label="Device"
        placeholder={isTold || view.device ? 'Any device' : 'Devices are not told'}
        disabled={!isTold && !view.device}
        data={[...devices]
          .map(([value, label]) => ({ value, label }))
          .toSorted((a, b) => a.label.localeCompare(b.label))}
        value={view.device || null}
        onChange={(device) => address.set({ device: device ?? '' })}
        limit={200}
        comboboxProps={{ width: 280, position: 'bottom-start', withinPortal: false }}
        nothingFoundMessage="No such device"
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Any device' }}
      />
      <NativeSelect
        aria-label="Protocol"
        value={view.protocol.toUpperCase()}
        onChange={(event) => address.set({ protocol: event.currentTarget.value })}
        data={[{ value: '', label: 'Any protocol' }, ...protocols]}
      />
      <NativeSelect
        aria-label="Exposure"
        value={view.exposure ?? ''}
        onChange={(event) => address.set({ exposure: event.currentTarget.value })}
        data={[
          { value: '', label: 'Marked or not' },
          { value: 'any', label: 'Marked, any reason' },
          ...EXPOSURES.map((value) => ({ value, label: exposureText(value, view.days) })),
        ]}
      />
      <NativeSelect
        aria-label="Marked as old"
        value={String(view.days)}
        onChange={(event) => address.set({ days: event.currentTarget.value })}
        data={AGES.map((days) => ({
          value: String(days),
          label: `Old after ${days === 1 ? 'a day' : `${days} days`}`,
        }))}
      />
    </FilterRow>
  );
}
