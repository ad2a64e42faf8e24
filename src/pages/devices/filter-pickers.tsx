// The choices of the device table's bar: those of every page, with the groups seen so far where there is no whole fleet.
import type { ComponentProps } from 'react';
import { FacetPickers } from '#/fleet/filters/facet-pickers.tsx';
import { useKnownGroups } from './use-known-groups.ts';

export function FilterPickers(props: Omit<ComponentProps<typeof FacetPickers>, 'groups'>) {
  return <FacetPickers {...props} groups={useKnownGroups()} />;
}
