// The output of one child job, beside or below the list.
import { useEffect, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { jobEndpoints, type Job } from '#/contract/jobs.ts';
import { canStop, isMoving, isStopping, jobState } from '#/contract/job-state.ts';
import { isMissing } from '#/api/api-error.ts';
import { useOffered } from '#/api/capabilities.ts';
import { jobQueries } from '#/api/jobs.ts';
import { attemptOf } from '#/features/jobs/attempts.ts';
import { stateOf } from '#/features/jobs/outcome.ts';
import { ALREADY_ASKED } from '#/features/jobs/job-words.ts';
import { StopJobDialog } from '#/features/jobs/job-dialogs.tsx';
import { paths } from '#/paths.ts';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { useFocusBack } from '#/ui/dialog/use-focus-back.ts';
import { NoDataYet } from '#/ui/page/view.tsx';
import { JobLog } from './job-log.tsx';
import { verdictOf } from '#/features/jobs/verdict.ts';
import { VerdictMark } from '#/features/jobs/verdict-mark.tsx';
import { Duration } from '#/features/jobs/duration.tsx';
import { Link } from '#/ui/url/link.tsx';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { deployAgain } from './children/child-jobs.ts';
import { jobUrl } from './children/job-url.ts';
import classes from './job-page.module.css';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

interface ChildPanelProps {
  parent: Job;
  /** All attempts of the device, oldest first; empty if there is only one. */
  attempts: readonly Job[];
  /** Empty if the service gives children no ids. */
  id: string;
  /** The child's row in the list. */
  row: Job | undefined;
  /** The name to show if the child has none. */
  fallback: string;
}

export function ChildPanel({ parent, attempts, id, row, fallback }: ChildPanelProps) {
  const [, url] = useUrlState(jobUrl);
  // The list of a large job is polled slowly, so the opened child is read by itself. A service that knows children only
  // as part of the list leaves us with the row.
  const single = useQuery({ ...jobQueries.one(id), enabled: id !== '' });
  const child = single.data?.job ?? row;
  // A log can be judged only once all of it has been read.
  const judged = single.data?.complete === false ? row : child;
  const judgement = judged && verdictOf(judged);
  const [stops, setStops] = useState(false);
  const hasAttempts = useOffered('jobs');
  const noStop = useMay(jobEndpoints.stop, 'Stopping jobs');
  const noDeploy = useMay(jobEndpoints.submit, 'Deploying', { WorkflowId: parent.WorkflowId });
  const heading = useFocusedHeading();
  const name = child?.DeviceName || child?.DeviceId || fallback;
  return (
    <section className={classes.panel} aria-label={`Output of ${name}, panel`}>
      <header>
        <h2 ref={heading} tabIndex={-1}>
          {child?.DeviceId ? <Link to={paths.device(child.DeviceId)}>{name}</Link> : name}
        </h2>
        {child && (
          <div className={classes.panelFacts}>
            {judgement && <VerdictMark judgement={judgement} />}
            {child.ExitCode !== undefined && <span>exit code {child.ExitCode}</span>}
            <Duration job={child} />
            <AttemptLinks attempts={attempts} shown={id} />
            {child.JobId && !isMissing(single.error) && <Link to={paths.job(child.JobId)}>Open job</Link>}
            {hasAttempts === false && child.DeviceId && !isMoving(child) && (
              <Gate why={noDeploy}>
                <Link to={paths.deploy(deployAgain(child, parent))}>Deploy again</Link>
              </Gate>
            )}
            {child.JobId && canStop(child) && (
              <Gate why={noStop ?? (isStopping(child) ? ALREADY_ASKED : undefined)}>
                <Button size="compact-xs" variant="default" onClick={() => setStops(true)}>
                  Stop…
                </Button>
              </Gate>
            )}
          </div>
        )}
        <IconButton
          icon={IconX}
          iconSize={18}
          label="Close the output"
          title="Close"
          onClick={() => url.close('child', 'log', 'line')}
        />
      </header>
      {child ? (
        <JobLog job={child} followed={single.data} judgement={judgement} device={name} />
      ) : (
        <NoDataYet query={single} name="this device's output" rows={4} />
      )}
      {child && stops && <StopJobDialog job={child} state={jobState(child)} onClose={() => setStops(false)} />}
    </section>
  );
}

/**
 * Focuses the heading if the output replaces the list or was opened from above it; closing returns the focus. With the
 * output beside the list, the focus stays in the list, so that the user can move on to the next row.
 */
function useFocusedHeading() {
  const heading = useRef<HTMLHeadingElement>(null);
  useFocusBack(true);
  useEffect(() => {
    const list = heading.current?.closest('[data-opened]');
    const from = document.activeElement;
    const isElsewhere = from?.closest('#main :is(a, button)') && !list?.contains(from);
    if (!isElsewhere && !globalThis.matchMedia('(max-width: 1099px)').matches) return;
    heading.current?.focus({ preventScroll: true });
    heading.current?.scrollIntoView({ block: 'start' });
  }, []);
  return heading;
}

/** Links between the attempts of a device. */
function AttemptLinks({ attempts, shown }: { attempts: readonly Job[]; shown: string }) {
  const [, url] = useUrlState(jobUrl);
  if (attempts.length === 0) return null;
  return (
    <nav aria-label="Attempts" className="flow">
      {attempts.map((attempt) => {
        const { to, state } = url.opening({ child: attempt.JobId });
        return (
          <Link
            key={attempt.JobId}
            to={to}
            state={state}
            replace
            preventScrollReset
            aria-current={attempt.JobId === shown ? 'true' : undefined}
            title={stateOf(attempt)}
          >
            Attempt {attemptOf(attempt)}
          </Link>
        );
      })}
    </nav>
  );
}
