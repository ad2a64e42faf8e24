// The filter by version of an artifact: in words, the choices there are, and the devices that match.
import type { VersionCount } from '#/contract/device-versions.ts';
import type { FacetValue, RowFilter, RunsFilter } from '#/fleet/filter.ts';

/** A device's version of an artifact is shown as a field with this name and the artifact's. */
export const VERSION_OF = 'Version of ';

export function versionWords({ artifact, version, other, none = false }: RunsFilter): string {
  if (none) return `No ${artifact}`;
  const parts = [artifact, version].filter(Boolean).join(' ');
  return other === undefined ? (version === undefined ? `Any ${artifact}` : parts) : `${parts}, not ${other}`;
}

export interface VersionChoice extends FacetValue {
  runs: RunsFilter;
}

/** For each artifact: each version, another one than that, and none. `devices`: how many there are in all. */
export function versionChoices(counts: readonly VersionCount[], devices: number): VersionChoice[] {
  const byArtifact = Map.groupBy(counts, ({ ArtifactName }) => ArtifactName);
  return [...byArtifact].flatMap(([artifact, versions]) => {
    const all = versions.reduce((sum, { Devices }) => sum + Devices, 0);
    const choice = (runs: RunsFilter, count: number) => ({ value: versionWords(runs), count, runs });
    return [
      ...versions.map(({ Version: version, Devices }) => choice({ artifact, version }, Devices)),
      ...versions.map(({ Version: other, Devices }) => choice({ artifact, other }, all - Devices)),
      choice({ artifact, none: true }, Math.max(0, devices - all)),
    ];
  });
}

/** `versions`: the version that each device has of the artifact. */
export const devicesRunning = (
  { version, other, none }: RunsFilter,
  versions: ReadonlyMap<string, string>,
): NonNullable<RowFilter['running']> => ({
  has: (id) => {
    const now = versions.get(id);
    if (none) return now === undefined;
    return now !== undefined && (version === undefined || now === version) && (other === undefined || now !== other);
  },
});
