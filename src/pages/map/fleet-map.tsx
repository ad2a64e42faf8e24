// The map with the filters above it and the list beside it: what is drawn, listed, selected and placed, all of one fleet
// and one filter.
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import type { Places } from '#/fleet/columns.ts';
import { BulkBar } from '#/features/bulk/bulk-bar.tsx';
import { Failure } from '#/ui/page/view.tsx';
import { MapBar } from './map-bar.tsx';
import { MapSection } from './map-section.tsx';
import { SidePanel } from './side-panel.tsx';
import { STAGES, useFleetMap } from './use-fleet-map.ts';
import classes from './map-page.module.css';

export function FleetMap({ fleet, places }: { fleet: FleetIndex; places: Places }) {
  const model = useFleetMap(fleet, places);
  const { url, shown, state, dispatch } = model;
  const { tagged } = shown;
  return (
    <div className={classes.page}>
      <MapBar
        url={url}
        facets={shown.facets}
        neverSeen={shown.neverSeen}
        listOpen={state.isListOpen}
        onList={(isOpen) => dispatch({ is: 'list', isOpen })}
      />
      {tagged.error && (
        <Failure what="who has this tag" error={tagged.error} busy={tagged.isFetching} onRetry={tagged.refetch} />
      )}
      <div className={classes.body} data-list={state.isListOpen}>
        <MapSection model={model} />
        {shown.stage >= STAGES.list ? (
          <SidePanel
            fleet={fleet}
            places={places}
            filter={shown.filter}
            view={state.view?.box}
            chosen={model.chosen}
            pointed={state.pointed}
            onChoose={model.choose}
            onHover={(row) => dispatch({ is: 'hovered', row })}
            onPlace={model.startPlacing}
          />
        ) : (
          <div className={classes.side} />
        )}
      </div>
      <BulkBar where="the map" />
    </div>
  );
}
