// Filters by the version of an artifact in words, and those that there are to choose from.
import type { VersionCount } from '#/contract/device-versions.ts';
import type { FacetValue, RunsFilter } from '#/fleet/filter.ts';

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
