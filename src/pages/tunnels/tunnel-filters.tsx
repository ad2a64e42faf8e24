// The filters of the tunnels, all in the URL.
import { NativeSelect, Select } from '@mantine/core';
import type { Tunnel } from '#/contract/tunnels.ts';
import { chosenFilter } from '#/ui/table/active-filters.tsx';
import { FilterBar } from '#/ui/table/filter-bar.tsx';
import { useStore } from '#/ui/state/use-store.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { EXPOSURES, NO_TUNNEL_FILTER, exposureText, oldAfterDays, tunnelsUrl } from './exposure.ts';
import classes from './tunnels-page.module.css';

const sorted = (values: Iterable<string>) =>
  [...new Set(values)].filter(Boolean).toSorted((a, b) => a.localeCompare(b));

/** `count`: the number of tunnels, as text. */
export function TunnelFilters({ tunnels, count }: { tunnels: readonly Tunnel[]; count: string }) {
  const [view, url] = useUrlState(tunnelsUrl);
  const days = useStore(oldAfterDays);
  const devices = new Map(tunnels.map(({ DeviceId = '', DeviceName }) => [DeviceId, DeviceName || DeviceId]));
  devices.delete('');
  const isKnown = devices.size > 0;
  // The current filter stays among the options even if no tunnel matches it.
  if (view.device && !devices.has(view.device)) devices.set(view.device, view.device);
  const protocols = sorted([...tunnels.map(({ Protocol }) => Protocol.toUpperCase()), view.protocol.toUpperCase()]);
  const isFiltered = Boolean(view.device || view.protocol || view.exposure);
  const deviceOptions = [...devices]
    .map(([value, label]) => ({ value, label }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  const exposures = [
    { value: 'any', label: 'Any warning' },
    ...EXPOSURES.map((value) => ({ value, label: exposureText(value, days) })),
  ];
  return (
    <FilterBar
      label="Filter tunnels"
      filtered={isFiltered}
      onClear={() => url.set(NO_TUNNEL_FILTER)}
      count={count}
      active={[
        ...chosenFilter('Device', view.device, deviceOptions, () => url.set({ device: '' })),
        ...chosenFilter('Protocol', view.protocol.toUpperCase(), [], () => url.set({ protocol: '' })),
        ...chosenFilter('Exposure', view.exposure, exposures, () => url.set({ exposure: undefined })),
      ]}
      filters={
        <>
          <Select
            className={classes.device}
            aria-label="Device"
            placeholder={isKnown || view.device ? 'Any device' : 'Devices are not reported'}
            disabled={!isKnown && !view.device}
            data={deviceOptions}
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
            onChange={(event) =>
              url.set({ exposure: (event.currentTarget.value || undefined) as typeof view.exposure })
            }
            data={[{ value: '', label: 'Any exposure' }, ...exposures]}
          />
        </>
      }
    />
  );
}
