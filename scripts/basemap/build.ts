// Builds public/basemap/world.pmtiles, the map that needs no network. Run by hand when a source or a rule changes
// (see README.md); the result is committed, so neither the dashboard's build nor its start needs these packages.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { PmtilesWriter } from './pmtiles-writer.ts';
import { tiles } from './tiles.ts';

const maxZoom = 6;
const out = fileURLToPath(new URL('../../public/basemap/world.pmtiles', import.meta.url));

const writer = new PmtilesWriter();
const largestTile = new Map<number, number>();
for (const { id, z, bytes } of tiles(maxZoom)) {
  writer.add(id, bytes);
  largestTile.set(z, Math.max(largestTile.get(z) ?? 0, bytes.length));
}
const archive = writer.finish({
  maxZoom,
  metadata: {
    name: 'World',
    attribution: 'Natural Earth · © <a href="https://www.geonames.org">GeoNames</a> (CC BY 4.0)',
    vector_layers: ['earth', 'water', 'boundaries', 'places'].map((id) => ({ id, fields: {} })),
  },
});
writeFileSync(out, archive);

console.log(`${out}: ${(archive.length / 1e6).toFixed(2)} MB`);
for (const [z, bytes] of largestTile)
  console.log(`  zoom ${z}: largest tile ${(bytes / 1e3).toFixed(0)} kB before compression`);
