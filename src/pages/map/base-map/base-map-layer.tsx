// Puts the built-in base map under the map it is rendered in, and keeps it in the reader's colour scheme.
import { useEffect, useState } from 'react';
import { useMap } from 'react-leaflet';

import { createBaseMap } from './base-map.ts';
import { mapColors } from './map-colors.ts';

/** The built-in base map. Goes inside a `MapContainer`; a change of scheme repaints it in place. */
export function BaseMapLayer({ scheme }: { scheme: 'light' | 'dark' }): null {
  const map = useMap();
  const [base] = useState(() => ({ map: createBaseMap(scheme), painted: scheme }));

  useEffect(() => {
    base.map.layer.addTo(map);
    const refresh = (): void => base.map.refresh();
    window.addEventListener('online', refresh);
    return () => {
      window.removeEventListener('online', refresh);
      base.map.layer.remove();
    };
  }, [base, map]);

  useEffect(() => {
    // Beyond the poles, and where a tile is still to come, the map's own background shows.
    map.getContainer().style.backgroundColor = mapColors[scheme].water;
    if (base.painted === scheme) return;
    base.painted = scheme;
    base.map.setScheme(scheme);
  }, [base, map, scheme]);

  return null;
}
