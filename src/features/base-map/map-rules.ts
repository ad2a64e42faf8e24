// The style of the base map, for the layers that scripts/basemap writes.
import {
  CenteredTextSymbolizer,
  CircleSymbolizer,
  GeomType,
  type LabelRule,
  LineSymbolizer,
  Padding,
  type PaintRule,
  PolygonSymbolizer,
  TextSymbolizer,
  linear,
} from 'protomaps-leaflet';

import type { MapColors } from './map-colors.ts';
import { PlaceSymbol } from './place-symbol.ts';

type Feature = Parameters<NonNullable<PaintRule['filter']>>[1];
type Properties = Feature['props'];

/** The family every name is set in; base-map.ts waits for it before the first one is measured. */
export const mapFont = "'Inter Variable', Inter, system-ui, sans-serif";

function number(properties: Properties, name: string): number {
  const value = properties[name];
  return typeof value === 'number' ? value : 0;
}

const shown = (zoom: number, feature: Feature): boolean => number(feature.props, 'min_zoom') <= zoom;

/** A value that changes evenly between these zooms. */
const byZoom = (stops: Record<number, number>) =>
  linear(Object.entries(stops).map(([zoom, value]) => [Number(zoom), value]));

type CenteredText = ConstructorParameters<typeof CenteredTextSymbolizer>[0];
const centred = (padding: number, text: CenteredText) => new Padding(padding, new CenteredTextSymbolizer(text));

/** A large city, or a capital that is more than a village. */
function isCity(properties: Properties): boolean {
  return number(properties, 'population_rank') >= (properties['capital'] === 'yes' ? 8 : 11);
}

/** The more important town first: it gets its name before its neighbours do. */
function byImportance(a: Properties, b: Properties): number {
  const weight = (p: Properties): number => number(p, 'population_rank') + (p['capital'] === 'yes' ? 4 : 0);
  return weight(b) - weight(a);
}

/** Areas and lines, from the bottom up. */
export function paintRules(colors: MapColors): PaintRule[] {
  const isProvince = (_zoom: number, f: Feature): boolean => number(f.props, 'kind_detail') > 2;
  return [
    {
      dataLayer: 'earth',
      // Land that the data cuts at the antimeridian is bare; its coast comes as lines.
      symbolizer: new PolygonSymbolizer({
        fill: colors.land,
        stroke: colors.coast,
        width: (_z: number, f?: Feature) => (f?.props['bare'] ? 0 : 1),
      }),
      filter: (_zoom, f) => f.geomType === GeomType.Polygon,
    },
    {
      dataLayer: 'earth',
      symbolizer: new LineSymbolizer({ color: colors.coast, width: 1 }),
      filter: (_zoom, f) => f.geomType === GeomType.Line,
    },
    {
      dataLayer: 'water',
      symbolizer: new PolygonSymbolizer({
        fill: colors.water,
        stroke: colors.coast,
        width: (z: number) => (z < 4 ? 0.3 : 0.7),
      }),
      filter: (_zoom, f) => f.geomType === GeomType.Polygon,
    },
    {
      dataLayer: 'water',
      minzoom: 4,
      symbolizer: new LineSymbolizer({
        color: colors.river,
        width: byZoom({ 4: 0.6, 8: 1.3, 12: 2 }),
        lineJoin: 'round',
      }),
      filter: (_zoom, f) => f.geomType === GeomType.Line,
    },
    {
      dataLayer: 'boundaries',
      minzoom: 4,
      symbolizer: new LineSymbolizer({
        color: colors.provinceBorder,
        width: byZoom({ 4: 0.6, 7: 1, 10: 1.4 }),
        lineJoin: 'round',
      }),
      filter: (zoom, f) => isProvince(zoom, f) && shown(zoom, f),
    },
    {
      dataLayer: 'boundaries',
      symbolizer: new LineSymbolizer({
        color: colors.countryBorder,
        width: byZoom({ 1: 0.5, 6: 1.2, 10: 1.8 }),
        lineJoin: 'round',
      }),
      filter: (zoom, f) => !isProvince(zoom, f),
    },
  ];
}

/** Names, the most important kind first: a later rule never takes an earlier one's room. */
export function labelRules(colors: MapColors): LabelRule[] {
  const halo = { stroke: colors.land, width: 1.5 };
  const townColor = (_z: number, f?: Feature) => (f && isCity(f.props) ? colors.city : colors.town);
  return [
    {
      dataLayer: 'places',
      maxzoom: 7,
      symbolizer: centred(2, {
        ...halo,
        fill: colors.country,
        lineHeight: 1.3,
        font: (z) => `600 ${byZoom({ 1: 10, 4: 12, 7: 15 })(z)}px ${mapFont}`,
      }),
      filter: (zoom, f) => f.props['kind'] === 'country' && shown(zoom, f),
    },
    {
      dataLayer: 'places',
      minzoom: 3,
      sort: byImportance,
      symbolizer: new PlaceSymbol({
        gap: 6,
        dot: new CircleSymbolizer({
          radius: (_z: number, f?: Feature) => (f && isCity(f.props) ? 2.2 : 1.7),
          fill: townColor,
          stroke: colors.land,
          width: 1.2,
        }),
        text: new TextSymbolizer({
          ...halo,
          fill: townColor,
          lineHeight: 1.3,
          maxLineChars: 22,
          font: (zoom: number, f?: Feature) => placeFont(zoom, f?.props ?? {}),
        }),
      }),
      filter: (zoom, f) => f.props['kind'] === 'locality' && shown(zoom, f),
    },
    {
      dataLayer: 'water',
      symbolizer: centred(4, {
        fill: colors.sea,
        lineHeight: 1.35,
        font: (zoom, f) => `italic 400 ${f?.props['kind'] === 'ocean' && zoom > 1 ? 13 : 11}px ${mapFont}`,
      }),
      filter: (zoom, f) => f.geomType === GeomType.Point && shown(zoom, f),
    },
    {
      dataLayer: 'places',
      minzoom: 5,
      maxzoom: 9,
      symbolizer: centred(4, {
        ...halo,
        fill: colors.province,
        textTransform: 'uppercase',
        letterSpacing: 0.6,
        lineHeight: 1.35,
        font: `500 10px ${mapFont}`,
      }),
      filter: (zoom, f) => f.props['kind'] === 'region' && shown(zoom, f),
    },
  ];
}

/** Larger with the town's size, the more so the closer in: from afar the countries' names must lead. */
function placeFont(zoom: number, properties: Properties): string {
  const bySize =
    Math.max(0, number(properties, 'population_rank') - 6) * 0.3 * Math.min(1, Math.max(0, (zoom - 2) / 4));
  const size = Math.min(15, 10.5 + bySize + Math.max(0, zoom - 6) * 0.4);
  const weight = isCity(properties) ? (zoom < 5 ? 500 : 600) : 450;
  return `${weight} ${size.toFixed(1)}px ${mapFont}`;
}
