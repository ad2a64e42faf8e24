// A submission whose answer never came, because of the network or a reload: looked for among the jobs first, and only when it
// is not there offered to be sent again.
import { useEffect } from 'react';
import { useNavigate } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { jobEndpoints } from '#/contract/jobs.ts';
import { Failure, FormError } from '#/ui/page/view.tsx';
import { devicesText, formatCount } from '#/lib/format.ts';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { Status } from '#/ui/controls/status.tsx';
import { forgetAttempt, resultPath, type Attempt } from './attempt.ts';
import { AnswerLost, lookFor, sendAttempt } from './submission.ts';
import classes from './deploy.module.css';

interface LeftAttemptProps {
  attempt: Attempt;
  /** It is left as it is. */
  onLeave: () => void;
  /** Of a deploy to many: sends to the devices that have no job yet. */
  onContinue: (ids: readonly string[]) => void;
}

export function LeftAttempt({ attempt, onLeave, onContinue }: LeftAttemptProps) {
  const navigate = useNavigate();
  const { target } = attempt;
  const look = useQuery({
    queryKey: ['jobs-made', attempt.key],
    queryFn: ({ signal }) => lookFor(attempt, signal),
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  const again = useWrite({ mutationFn: () => sendAttempt(attempt), meta: { operation: jobEndpoints.submit } });
  const sent = 'ids' in target ? undefined : (again.data ?? look.data?.[0]?.JobId);
  useEffect(() => {
    if (sent === undefined) return;
    forgetAttempt();
    void navigate(resultPath(attempt, sent), { replace: true });
  }, [sent, attempt, navigate]);
  const leave = () => {
    forgetAttempt();
    onLeave();
  };
  const made = new Set(look.data?.map(({ DeviceId }) => DeviceId));
  const rest = 'ids' in target ? target.ids.filter((id) => !made.has(id)) : [];
  const isLooking = look.isFetching || sent !== undefined;
  return (
    <section aria-label="A deploy got no answer" className={classes.left}>
      <h2>
        “{attempt.what.Name}” to {attempt.label}
      </h2>
      <Status>
        {isLooking ? (
          'It was sent, but no answer came. Checking the job list.'
        ) : look.error ? (
          'It was sent, but no answer came. Whether it started is unknown until the job list can be read.'
        ) : 'ids' in target ? (
          rest.length === 0 ? (
            `All ${devicesText(target.ids.length)} have their job.`
          ) : (
            `It was interrupted: ${formatCount(made.size)} of ${devicesText(target.ids.length)} have their job.`
          )
        ) : (
          <>
            It was sent, but no answer came, and <strong>it is not in the job list</strong>: the service probably did
            not receive it.
          </>
        )}
      </Status>
      {isLooking ? null : look.error ? (
        <Failure what="the jobs" error={look.error} onRetry={look.refetch} />
      ) : 'ids' in target ? (
        <div className={classes.buttons}>
          {rest.length > 0 && (
            <Button variant="filled" onClick={() => onContinue(rest)}>
              Deploy to the other {formatCount(rest.length)}
            </Button>
          )}
          <Button onClick={leave}>{rest.length > 0 ? 'Keep as it is' : 'Done'}</Button>
        </div>
      ) : (
        <>
          {!(again.error instanceof AnswerLost) && <FormError error={again.error} />}
          <div className={classes.buttons}>
            <Button variant="filled" loading={again.isPending} onClick={() => again.mutate()}>
              Send it again
            </Button>
            <Button disabled={again.isPending} onClick={() => void look.refetch()}>
              Look again
            </Button>
            <Button disabled={again.isPending} onClick={leave}>
              Leave it
            </Button>
          </div>
        </>
      )}
    </section>
  );
}
