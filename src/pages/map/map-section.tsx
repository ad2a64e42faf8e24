// The map itself with everything on it.
import { useState, type ReactNode } from 'react';
import { Button, useComputedColorScheme } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { ScaleControl } from 'react-leaflet';
import { useOffered } from '#/api/capabilities.ts';
import { MapBox } from '#/features/base-map/map-box.tsx';
import { boundsOf, boxOf } from '#/lib/longitude.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { focusOnMount } from '#/ui/dialog/use-focus-back.ts';
import { AreaSelect } from './area-select.tsx';
import { FleetLayer } from './fleet-layer.tsx';
import { Legend } from './legend.tsx';
import { MapEvents } from './map-events.tsx';
import { MapControls, STILL_LOADING } from './map-controls.tsx';
import { CLOSEST } from './map-fleet.ts';
import { readMapView } from './use-map-url.ts';
import { PlacingBanner } from './placing-banner.tsx';
import { STAGES, type FleetMapModel } from './use-fleet-map.ts';
import classes from './map-page.module.css';

/** Whether the user's country uses miles. */
const IN_MILES = /-(?:US|GB|LR|MM)$/.test(navigator.language);

/** The initial view: that of the URL, or all matching devices, or the world. */
function startOf({ url, places, shown }: FleetMapModel) {
  const view = readMapView(url.at);
  if (view) return { center: [view.lat, view.lng] as [number, number], zoom: view.zoom };
  const box = boxOf(places, shown.placed);
  return box
    ? { bounds: boundsOf(box), boundsOptions: { padding: [40, 40] as [number, number], maxZoom: CLOSEST } }
    : { center: [25, 10] as [number, number], zoom: 2 };
}

/** `children`: over the map. */
export function MapSection({ model, children }: { model: FleetMapModel; children: ReactNode }) {
  const { state, change, setMap } = model;
  const { stage, resolved } = model.shown;
  const scheme = useComputedColorScheme('light');
  const [start] = useState(() => startOf(model));
  return (
    <section
      className={classes.map}
      aria-label="Map of device locations"
      data-placing={model.placing.waiting !== undefined || undefined}
    >
      {stage >= STAGES.leaflet && (
        <MapBox ref={setMap} {...start} minZoom={2} zoomControl={false} tiles={stage >= STAGES.base}>
          <ScaleControl position="bottomleft" metric={!IN_MILES} imperial={IN_MILES} />
          {stage >= STAGES.fleet && <FleetLayer model={model} scheme={scheme} />}
          <MapEvents model={model} />
        </MapBox>
      )}
      {state.tool && (
        <AreaSelect tool={state.tool} onArea={model.selectArea} onCancel={() => change({ tool: undefined })} />
      )}
      <MapControls model={model} />
      <Legend model={model} scheme={scheme} />
      <OpenReplay model={model} />
      {children}
      <PlacingBanner model={model} />
      <p className={classes.said} role="status">
        {resolved.value || resolved.error ? state.message : 'Loading the matching devices…'}
      </p>
    </section>
  );
}

/** Opens the replay, where the service knows the past. */
function OpenReplay({ model: { url, fleet, state, change } }: { model: FleetMapModel }) {
  const isOffered = useOffered('history') === true;
  if (!isOffered || url.replay) return null;
  return (
    <Gate why={fleet.isPart ? STILL_LOADING : undefined}>
      <Button
        ref={state.replayFocus === 'open' ? focusOnMount : undefined}
        className={classes.openReplay}
        variant="default"
        leftSection={<IconHistory size={16} stroke={1.6} aria-hidden />}
        title="The last 24 hours or 7 days on the map"
        onClick={() => {
          change({ replayFocus: 'bar' });
          url.set({ replay: '24h' });
        }}
      >
        Replay
      </Button>
    </Gate>
  );
}
