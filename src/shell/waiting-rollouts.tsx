// How many rollouts wait for a person, beside their link in the navigation.
import { useQuery } from '@tanstack/react-query';
import { rolloutQueries, waitsForPerson } from '#/api/rollouts.ts';
import { formatCount } from '#/lib/format.ts';

export function WaitingRollouts() {
  const { data = [] } = useQuery(rolloutQueries.steps());
  const count = data.filter(waitsForPerson).length;
  if (count === 0) return null;
  return (
    <span className="frame-count tabular" title={`${formatCount(count)} waiting for a person`}>
      {formatCount(count)}
      <span className="visually-hidden"> waiting for a person</span>
    </span>
  );
}
