// How many jobs refer to an artifact, in a table's cell: what still waits first, since that is what deleting would break.
import type { Artifact } from '#/contract/artifacts.ts';
import { formatCount } from '#/lib/format.ts';
import { usageIn } from './artifact-usage.ts';
import type { ArtifactUsage } from './artifact-usage.ts';

interface UsageCountsProps {
  artifacts: readonly Artifact[];
  usage: ReadonlyMap<string, ArtifactUsage>;
}

export function UsageCounts({ artifacts, usage }: UsageCountsProps) {
  const count = (state: 'waiting' | 'running' | 'done') =>
    artifacts.reduce((sum, artifact) => sum + usageIn(usage, artifact)[state].length, 0);
  const counts = (['waiting', 'running', 'done'] as const).flatMap((state) => {
    const number = count(state);
    return number > 0 ? [`${formatCount(number)} ${state}`] : [];
  });
  if (counts.length === 0) return <span className="dim">no jobs</span>;
  return <span title={`Jobs: ${counts.join(', ')}`}>{counts.join(' · ')}</span>;
}
