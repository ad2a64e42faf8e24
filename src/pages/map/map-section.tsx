// The map itself with everything on it.
import { useState } from 'react';
import { useComputedColorScheme } from '@mantine/core';
import { AttributionControl, MapContainer, ScaleControl } from 'react-leaflet';
import { AreaSelect } from './area-select.tsx';
import { BaseMapLayer } from '#/features/base-map/base-map-layer.tsx';
import { FleetLayer, boundsOf } from './fleet-layer.tsx';
import { Legend } from './legend.tsx';
import { DropTarget, FollowView } from './map-events.tsx';
import { MapControls } from './map-controls.tsx';
import { boxOf, deviceNameAt } from './map-fleet.ts';
import { readMapView } from './map-view.ts';
import { PlacingBanner } from './placing-banner.tsx';
import { STAGES } from './use-fleet-map.ts';
import type { FleetMapModel } from './use-fleet-map.ts';
import controls from '#/features/base-map/map-controls.module.css';
import classes from './map-page.module.css';

/** Whether the reader's country measures ways in miles. */
const IN_MILES = /-(?:US|GB|LR|MM)$/.test(navigator.language);

/** Where the map begins: the view of the address, else all that is shown, else the world. */
function startOf({ url, places, shown }: FleetMapModel) {
  const view = readMapView(url.at);
  if (view) return { center: [view.lat, view.lng] as [number, number], zoom: view.zoom };
  const box = boxOf(places, shown.placed);
  return box
    ? { bounds: boundsOf(box), boundsOptions: { padding: [40, 40] as [number, number], maxZoom: 11 } }
    : { center: [25, 10] as [number, number], zoom: 2 };
}

export function MapSection({ model }: { model: FleetMapModel }) {
  const { fleet, places, url, shown, selected, placing, map, setMap, state, dispatch, chosen } = model;
  const { stage, placed, tagged } = shown;
  const scheme = useComputedColorScheme('light');
  const [start] = useState(() => startOf(model));
  return (
    <section className={classes.map} aria-label="Map of device locations">
      {stage >= STAGES.leaflet && (
        <MapContainer
          ref={setMap}
          {...start}
          minZoom={2}
          maxZoom={18}
          zoomControl={false}
          attributionControl={false}
          worldCopyJump
          className={`${controls.controls} ${classes.canvas}`}
        >
          {stage >= STAGES.base && <BaseMapLayer scheme={scheme} />}
          <AttributionControl prefix={false} />
          <ScaleControl position="bottomleft" metric={!IN_MILES} imperial={IN_MILES} />
          {stage >= STAGES.fleet && (
            <FleetLayer
              fleet={fleet}
              places={places}
              clusters={shown.clusters}
              groups={shown.colours}
              colorBy={url.color}
              scheme={scheme}
              selected={selected}
              chosen={chosen}
              focusCard={state.opener !== undefined}
              onChoose={(row) =>
                row === undefined ? model.closeCard() : url.set({ device: fleet.device(row).DeviceId })
              }
              hovered={state.hovered}
              onPoint={(row) => dispatch({ is: 'pointed', row })}
              isPlacing={placing.waiting !== undefined}
              onPlace={(at) => model.place(at.wrap())}
              onMove={(row) =>
                model.startPlacing({
                  id: fleet.device(row).DeviceId,
                  name: deviceNameAt(fleet, row),
                  old: { Lat: places.lat[row]!, Lng: places.lng[row]! },
                })
              }
            />
          )}
          <FollowView onView={model.follow} />
          <DropTarget onDrop={model.place} />
        </MapContainer>
      )}
      {state.tool && (
        <AreaSelect tool={state.tool} onArea={model.selectArea} onCancel={() => dispatch({ is: 'tool put away' })} />
      )}
      <MapControls
        map={map}
        zoom={state.view?.zoom ?? map?.getZoom() ?? 2}
        tool={state.tool}
        onTool={(tool) => dispatch({ is: 'tool', tool })}
        placed={placed.length}
        onShowAll={() => model.fit(placed, 13)}
        selected={selected.size}
        onShowSelected={() => model.fit([...selected], 16)}
      />
      <Legend
        colorBy={url.color}
        onColorBy={(color) => url.set({ color })}
        groups={shown.colours}
        more={shown.hasMoreGroups}
        scheme={scheme}
      />
      <PlacingBanner placing={placing} onCentre={() => map && model.place(map.getCenter().wrap())} />
      <p className={classes.said} role="status">
        {tagged.filter || tagged.error ? state.message : 'The service is asked who has this tag.'}
      </p>
    </section>
  );
}
