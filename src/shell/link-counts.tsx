// What waits for a person or is wrong, as a number beside the link to its page. Kept current by events: nothing is polled for it.
import { useQuery } from '@tanstack/react-query';
import { alertQueries } from '#/api/alerts.ts';
import { enrolmentQueries, waitingDevices } from '#/api/enrolment.ts';
import { useMay } from '#/api/people.ts';
import { polled } from '#/api/query.ts';
import { rolloutQueries, waitsForPerson } from '#/api/rollouts.ts';
import { enrolmentEndpoints } from '#/contract/enrolment.ts';
import { formatCount } from '#/lib/format.ts';

function LinkCount({ count, what }: { count: number; what: string }) {
  if (count === 0) return null;
  return (
    <span className="frame-count tabular" title={`${formatCount(count)} ${what}`}>
      {formatCount(count)}
      <span className="visually-hidden"> {what}</span>
    </span>
  );
}

export function WaitingRollouts() {
  const { data = [] } = useQuery(rolloutQueries.steps());
  return <LinkCount count={data.filter(waitsForPerson).length} what="waiting for a person" />;
}

/** For people who may approve them. */
export function WaitingDevices() {
  const noApproval = useMay(enrolmentEndpoints.approve, 'Approving devices');
  const { data = [] } = useQuery({ ...polled(enrolmentQueries.pending(), false), enabled: noApproval === undefined });
  return <LinkCount count={waitingDevices(data).length} what="waiting for approval" />;
}

/** Without those that somebody silenced. */
export function FiringAlerts() {
  const { data = [] } = useQuery(polled(alertQueries.firing(), false));
  const count = data.filter(({ Silence }) => !Silence).length;
  return <LinkCount count={count} what={count === 1 ? 'alert is firing' : 'alerts are firing'} />;
}
