// The filters of the tunnels, all in the URL, and the age from which a tunnel counts as old.
import { NativeSelect, Select } from '@mantine/core';
import type { Tunnel } from '#/contract/tunnels.ts';
import { FilterBar } from '#/ui/table/filter-bar.tsx';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { AGES, EXPOSURES, NO_TUNNEL_FILTER, exposureText, tunnelsUrl } from './exposure.ts';
import classes from './tunnels-page.module.css';

const sorted = (values: Iterable<string>) =>
  [...new Set(values)].filter(Boolean).toSorted((a, b) => a.localeCompare(b));

/** `count`: the number of tunnels, as text. */
export function TunnelFilters({ tunnels, count }: { tunnels: readonly Tunnel[]; count: string }) {
  const [view, url] = useUrlState(tunnelsUrl);
  const devices = new Map(tunnels.map(({ DeviceId = '', DeviceName }) => [DeviceId, DeviceName || DeviceId]));
  devices.delete('');
  const isKnown = devices.size > 0;
  // The current filter stays among the options even if no tunnel matches it.
  if (view.device && !devices.has(view.device)) devices.set(view.device, view.device);
  const protocols = sorted([...tunnels.map(({ Protocol }) => Protocol.toUpperCase()), view.protocol.toUpperCase()]);
  const isFiltered = Boolean(view.device || view.protocol || view.exposure);
  return (
    <FilterBar label="Filter tunnels" filtered={isFiltered} onClear={() => url.set(NO_TUNNEL_FILTER)} count={count}>
      <Select
        className={classes.device}
        aria-label="Device"
        placeholder={isKnown || view.device ? 'Any device' : 'Devices are not reported'}
        disabled={!isKnown && !view.device}
        data={[...devices]
          .map(([value, label]) => ({ value, label }))
          .toSorted((a, b) => a.label.localeCompare(b.label))}
        value={view.device || null}
        onChange={(device) => url.set({ device: device ?? '' })}
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
        onChange={(event) => url.set({ protocol: event.currentTarget.value })}
        data={[{ value: '', label: 'Any protocol' }, ...protocols]}
      />
      <NativeSelect
        aria-label="Exposure"
        value={view.exposure ?? ''}
        onChange={(event) => url.set({ exposure: (event.currentTarget.value || undefined) as typeof view.exposure })}
        data={[
          { value: '', label: 'Any exposure' },
          { value: 'any', label: 'Any warning' },
          ...EXPOSURES.map((value) => ({ value, label: exposureText(value, view.days) })),
        ]}
      />
      <NativeSelect
        aria-label="Old"
        value={String(view.days)}
        onChange={(event) => url.set({ days: Number(event.currentTarget.value) as typeof view.days })}
        data={AGES.map((days) => ({
          value: String(days),
          label: `Old after ${days === 1 ? 'a day' : `${days} days`}`,
        }))}
      />
    </FilterBar>
  );
}
