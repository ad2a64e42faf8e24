// A deploy to a selection under way: a job for each device, with a result for each.
import { useEffect } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { devicesText } from '#/lib/format.ts';
import type { Device } from '#/contract/devices.ts';
import { bulkDeploy } from '#/api/bulk.ts';
import { memberQueries } from '#/fleet/members.ts';
import { BulkSteps, DEVICE_KIND } from '#/features/bulk/bulk-steps.tsx';
import { useBulkRun } from '#/features/bulk/use-bulk-run.ts';
import { paths } from '#/paths.ts';
import { Page } from '#/ui/page/page.tsx';
import { NoDataYet, Skeleton } from '#/ui/page/view.tsx';
import { Link } from '#/ui/url/link.tsx';
import { forgetAttempt, type ManyJobs } from './attempt.ts';
import classes from './deploy.module.css';

interface BulkDeployProps extends ManyJobs {
  onClose: () => void;
}

export function BulkDeploy(props: BulkDeployProps) {
  const { attempt, ids } = props;
  const members = useQuery(memberQueries.of({ ids, key: `order ${attempt.key}` }));
  return (
    <Page title={attempt.what.Name} lead={`One job for each of ${devicesText(ids.length)}`}>
      {members.data ? (
        <Run {...props} devices={members.data} />
      ) : (
        <NoDataYet query={members} name="the devices" rows={4} />
      )}
    </Page>
  );
}

function Run({ attempt, ids, devices, onClose }: BulkDeployProps & { devices: Device[] }) {
  const run = useBulkRun(DEVICE_KIND, ['jobs']);
  const { what, key, preflightFor } = attempt;
  const { phase, start } = run;
  const write = bulkDeploy(what, key);
  // The click that led here is what starts it, once: a device that has a job of this deploy gets no other.
  useEffect(() => {
    const soon = setTimeout(() => start({ items: devices, write }), 0);
    return () => clearTimeout(soon);
    // oxlint-disable-next-line react/exhaustive-deps
  }, []);
  useEffect(() => {
    if (phase === 'ended') forgetAttempt();
  }, [phase]);
  const onward = preflightFor
    ? paths.preflight({ jobs: what.Name }, { artifact: preflightFor.ArtifactId, workflow: preflightFor.WorkflowId })
    : paths.jobs({ name: what.Name });
  const there = new Set(devices.map(({ DeviceId }) => DeviceId));
  if (phase === 'planned') return <Skeleton name="the first answers" rows={2} />;
  return (
    <div className={classes.run}>
      <BulkSteps
        devices={devices}
        gone={ids.filter((id) => !there.has(id))}
        run={run}
        what="Deploy"
        button={devicesText}
        write={write}
        onward={
          <Button variant="filled" component={Link} to={onward}>
            {preflightFor ? 'See the results' : 'See the jobs'}
          </Button>
        }
        onClose={onClose}
      />
    </div>
  );
}
