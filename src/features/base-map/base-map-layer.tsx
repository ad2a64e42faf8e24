// The base map: the operator's tiles if the service names some, or the built-in map, also when those tiles fail, in the
// user's colour scheme.
import { useEffect, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useMap } from 'react-leaflet';
import { sessionQueries } from '#/api/session.ts';
import { Status } from '#/ui/controls/status.tsx';
import { attributionParts } from './attribution.ts';
import { createBaseMap, drawArchive, type BaseMap } from './base-map.ts';
import { mapColors, type Scheme } from './map-colors.ts';
import { FetchSource, PMTiles, TileType, leafletRasterLayer } from 'pmtiles';
import classes from './base-map.module.css';
import L from 'leaflet';

/** The base map. Goes inside a `MapContainer`; a change of scheme repaints it in place. */
export function BaseMapLayer({ scheme }: { scheme: Scheme }) {
  const { data: session } = useQuery(sessionQueries.current());
  const url = session?.MapTiles;
  const [dead, setDead] = useState<string>();
  if (!session) return null;
  const isDead = url !== undefined && url === dead;
  const own = isDead ? undefined : url;
  return (
    <>
      {own === undefined ? (
        <BuiltInMap scheme={scheme} />
      ) : (
        <OwnMap key={own} url={own} scheme={scheme} onDead={() => setDead(own)} />
      )}
      <Status className={isDead ? classes.note : ''}>
        {isDead && `The map tiles from ${hostOf(url)} could not be loaded. Showing the built-in map.`}
      </Status>
      {own !== undefined && session.MapAttribution && (
        <p className={classes.attribution}>
          {attributionParts(session.MapAttribution).map(({ text, href }) =>
            href === undefined ? (
              text
            ) : (
              <a key={text} href={href} target="_blank" rel="noopener noreferrer">
                {text}
              </a>
            ),
          )}
        </p>
      )}
    </>
  );
}

const hostOf = (url: string) => URL.parse(url)?.host ?? url;

function BuiltInMap({ scheme }: { scheme: Scheme }): null {
  const [base] = useState(() => createBaseMap(scheme));
  useBase(base, scheme);
  return null;
}

function OwnMap({ url, scheme, onDead }: { url: string; scheme: Scheme; onDead: () => void }): null {
  const isPattern = url.includes('{z}');
  const [base, setBase] = useState(() => (isPattern ? createTileMap(url, onDead) : undefined));
  useEffect(() => {
    if (isPattern) return;
    let isLeft = false;
    openArchiveMap(url, scheme).then(
      (opened) => {
        if (!isLeft) setBase(opened);
      },
      () => {
        if (!isLeft) onDead();
      },
    );
    return () => {
      isLeft = true;
    };
    // Opened once; the scheme is followed below.
  }, [url]); // oxlint-disable-line react/exhaustive-deps
  useBase(base, scheme);
  return null;
}

function useBase(base: BaseMap | undefined, scheme: Scheme): void {
  const map = useMap();
  const painted = useRef(scheme);
  useEffect(() => {
    if (!base) return;
    base.layer.addTo(map);
    const refresh = (): void => base.refresh();
    window.addEventListener('online', refresh);
    return () => {
      window.removeEventListener('online', refresh);
      base.layer.remove();
    };
  }, [base, map]);

  useEffect(() => {
    // The map's own background shows beyond the poles and while tiles load.
    map.getContainer().style.backgroundColor = mapColors[scheme].water;
    if (!base || painted.current === scheme) return;
    painted.current = scheme;
    base.setScheme(scheme);
  }, [base, map, scheme]);
}

/** Tiles that fail before any has loaded, until the address counts as dead. */
const ENOUGH = 3;

/** Images look the same in both schemes, and Leaflet requests failed ones again when the map moves. */
const still = (layer: L.GridLayer): BaseMap => ({
  layer,
  setScheme: () => undefined,
  refresh: () => void layer.redraw(),
});

/** Images by a pattern with {z}, {x} and {y}. `onDead` is called at most once. */
function createTileMap(url: string, onDead: () => void): BaseMap {
  const layer = L.tileLayer(url, { maxZoom: 22, maxNativeZoom: 19 });
  let failed = 0;
  let isAlive = false;
  layer.on('tileload', () => (isAlive = true));
  layer.on('tileerror', () => {
    failed++;
    if (!isAlive && failed === ENOUGH) onDead();
  });
  return still(layer);
}

/** One file; raises an error where it cannot be read. */
async function openArchiveMap(url: string, scheme: Scheme): Promise<BaseMap> {
  const archive = new PMTiles(new FetchSource(url));
  const { tileType, maxZoom } = await archive.getHeader();
  return tileType === TileType.Mvt
    ? drawArchive(archive, maxZoom, '', scheme)
    : still(leafletRasterLayer(archive, { maxZoom: 22, maxNativeZoom: maxZoom }) as L.GridLayer);
}
