// The fleet on a map: clusters with their Online share, a list of the devices in view, and those without a location. The
// view, the filters and the open card are in the URL.
import 'leaflet/dist/leaflet.css';
import { useDeferredValue } from 'react';
import { Button } from '@mantine/core';
import { BulkBar } from '#/features/bulk/bulk-bar.tsx';
import { useOffered } from '#/api/capabilities.ts';
import { useOwnAgent } from '#/api/own-agent.ts';
import type { Places } from '#/fleet/columns.ts';
import type { Fleet } from '#/fleet/fleet-store.ts';
import type { FleetIndex } from '#/fleet/fleet-index.ts';
import { addAtOnce } from '#/features/install/at-once.ts';
import { fleetReading, useFleet } from '#/fleet/use-fleet.ts';
import { formatCount } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { Page } from '#/ui/page/page.tsx';
import { Empty, Failure, View } from '#/ui/page/view.tsx';
import { Link } from '#/ui/url/link.tsx';
import { MapBar, MapTitle } from './map-bar.tsx';
import { MapSection } from './map-section.tsx';
import { SidePanel } from './side-panel.tsx';
import { STAGES, useFleetMap } from './use-fleet-map.ts';
import classes from './map-page.module.css';
import { deviceEndpoints } from '#/contract/devices.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

export function MapPage() {
  const fleet = useFleet({ need: true });
  const read = fleetReading(fleet, { places: true });
  const data = read.data ?? fleet.partial;
  // Deferred, so that rendering a new index does not block clicks; the first render too.
  const reading = { ...read, data: useDeferredValue(data, undefined) };
  const progress = read.data ? undefined : fleet.progress;
  return (
    <Page title="Map" full>
      {(!reading.data || reading.data.size === 0) && (
        <div className={classes.bar}>
          <MapTitle />
          <Progress of={progress} />
        </div>
      )}
      <View query={reading} name="the map" isEmpty={(index) => index.size === 0} empty={<NoFleet />} rows={14}>
        {(index) => index.places && <FleetMap fleet={index} places={index.places} progress={progress} />}
      </View>
    </Page>
  );
}

function Progress({ of: progress }: { of: Fleet['progress'] }) {
  if (!progress || progress.read === 0) return null;
  const { read, total } = progress;
  return (
    <>
      <progress
        className={classes.progress}
        aria-label="Devices loaded"
        max={total}
        value={total === undefined ? undefined : read}
      />
      <p className={classes.count} role="status">
        {formatCount(read)} {total !== undefined && `of ${formatCount(total)} `}
        devices loaded
      </p>
    </>
  );
}

interface FleetMapProps {
  fleet: FleetIndex;
  places: Places;
  progress: Fleet['progress'];
}

const LateReplay = lazyPart(() => import('./replay-bar.tsx'), 'ReplayBar');

/** The map with the filters above it and the list beside it, all of one fleet and one filter. */
function FleetMap({ fleet, places, progress }: FleetMapProps) {
  const model = useFleetMap(fleet, places);
  const { resolved, stage } = model.shown;
  const canReplay = useOffered('history') === true;
  return (
    <div className={classes.page}>
      <MapBar model={model} />
      {resolved.error && (
        <Failure
          what="the matching devices"
          error={resolved.error}
          busy={resolved.isFetching}
          onRetry={resolved.refetch}
        />
      )}
      <div className={classes.body} data-list={model.state.isListOpen}>
        <div className={classes.column}>
          <MapSection model={model}>
            {fleet.isPart && progress && (
              <div className={classes.banner}>
                <div className={classes.bannerRow}>
                  <Progress of={progress} />
                </div>
              </div>
            )}
          </MapSection>
          <LateReplay
            open={canReplay && model.url.replay && !fleet.isPart && { model }}
            fallback={<div className={classes.replay} aria-busy />}
          />
        </div>
        {stage >= STAGES.list && !fleet.isPart ? <SidePanel model={model} /> : <div className={classes.side} />}
      </div>
      <BulkBar where="the map" />
    </div>
  );
}

function NoFleet() {
  const hasOwnAgent = useOwnAgent();
  const noAdding = useMay(deviceEndpoints.create, 'Adding devices');
  return (
    <div className={classes.none}>
      <Empty
        title="No devices yet"
        scoped
        action={
          <>
            {hasOwnAgent && (
              <Gate why={noAdding}>
                <Button variant="filled" component={Link} to={paths.addThisMachine()} onClick={addAtOnce}>
                  Add this machine
                </Button>
              </Gate>
            )}
            <Gate why={noAdding}>
              <Button component={Link} to={paths.addDevice()} variant={hasOwnAgent ? 'default' : 'filled'}>
                Add a device
              </Button>
            </Gate>
          </>
        }
      >
        Devices with a location appear here.
      </Empty>
    </div>
  );
}
