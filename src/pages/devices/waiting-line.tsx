// Says that devices wait for somebody to approve them, to people who may.
import { useQuery } from '@tanstack/react-query';
import { enrolmentQueries, waitingDevices } from '#/api/enrolment.ts';
import { useMay } from '#/api/people.ts';
import { polled } from '#/api/query.ts';
import { enrolmentEndpoints } from '#/contract/enrolment.ts';
import { devicesText } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Link } from '#/ui/url/link.tsx';
import classes from './waiting-line.module.css';

export function WaitingLine() {
  const noApproval = useMay(enrolmentEndpoints.approve, 'Approving devices');
  const { data = [] } = useQuery({ ...polled(enrolmentQueries.pending(), false), enabled: noApproval === undefined });
  const count = waitingDevices(data).length;
  if (count === 0) return null;
  return (
    <p className={classes.line}>
      <StateMark state="Waiting" label={`${devicesText(count)} ${count === 1 ? 'is' : 'are'} waiting for approval`} />
      <Link to={paths.enrolment()}>Review</Link>
    </p>
  );
}
