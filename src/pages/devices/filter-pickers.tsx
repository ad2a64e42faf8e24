// The choices of the device table's bar: those of every page, with the groups seen so far where there is no whole fleet.
import type { ComponentProps } from 'react';
import { FacetPickers } from '#/features/device-filters/facet-pickers.tsx';
import { useKnownValues } from '#/features/device-dialogs/use-known-values.ts';

export function FilterPickers(props: Omit<ComponentProps<typeof FacetPickers>, 'groups'>) {
  return <FacetPickers {...props} groups={useKnownValues('DeviceGroup')} />;
}
