// A map with the base map, as all maps of the dashboard use it.
import 'leaflet/dist/leaflet.css';
import type { RefAttributes } from 'react';
import { useComputedColorScheme } from '@mantine/core';
import type L from 'leaflet';
import { AttributionControl, MapContainer, type MapContainerProps } from 'react-leaflet';
import { BaseMapLayer } from './base-map-layer.tsx';
import classes from './map-box.module.css';

interface MapBoxProps extends Omit<MapContainerProps, 'className'>, RefAttributes<L.Map> {
  className?: string | undefined;
  /** Whether the base map is drawn yet. */
  tiles?: boolean;
}

export function MapBox({ tiles = true, className = '', children, ...options }: MapBoxProps) {
  const scheme = useComputedColorScheme('light');
  return (
    <MapContainer maxZoom={18} attributionControl={false} className={`${classes.box} ${className}`} {...options}>
      {tiles && <BaseMapLayer scheme={scheme} />}
      <AttributionControl prefix={false} />
      {children}
    </MapContainer>
  );
}
