// A deploy whose answer was lost on the network or by a reload, so that the service may have accepted it.
import { useNavigate } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { accountQueries } from '#/api/account.ts';
import { offers } from '#/api/capabilities.ts';
import { jobEndpoints } from '#/contract/jobs.ts';
import { paths } from '#/paths.ts';
import { Status } from '#/ui/controls/status.tsx';
import { useNow } from '#/ui/controls/time.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { FormError } from '#/ui/page/view.tsx';
import { Link } from '#/ui/url/link.tsx';
import { AnswerLost, resendDeploy, resultPath, unconfirmedDeploy, type SentDeploy } from './submission.ts';
import classes from './deploy.module.css';

const HOUR = 3_600_000;

/** Whether the service would recognize the deploy if it were resent; undefined until the account is loaded. */
function useIsRecognized({ sentAt }: SentDeploy): boolean | undefined {
  const { data: account } = useQuery(accountQueries.get());
  const now = useNow().getTime();
  if (!account) return undefined;
  const { IdempotencyKeyHours: hours = 0 } = account;
  return offers(account, 'idempotency') && now < sentAt + hours * HOUR;
}

export function UnconfirmedDeploy({ sent, onDismiss }: { sent: SentDeploy; onDismiss: () => void }) {
  const navigate = useNavigate();
  const isRecognized = useIsRecognized(sent);
  const resend = useWrite({ mutationFn: () => resendDeploy(sent), meta: { operation: jobEndpoints.submit } });
  return (
    <section aria-label="Unconfirmed deploy" className={classes.unconfirmed}>
      <h2>{sent.body.Name}</h2>
      <Status>
        The service did not answer, so <strong>this job may have been accepted</strong>.{' '}
        {isRecognized === true && 'You can send it again: the service creates the job only once.'}
        {isRecognized === false && 'Look for it in the list of jobs before you deploy again.'}
      </Status>
      <FormError error={resend.error instanceof AnswerLost ? (resend.error.cause as Error) : resend.error} />
      <div className={classes.buttons}>
        {isRecognized && (
          <Button
            variant="filled"
            loading={resend.isPending}
            onClick={() =>
              resend.mutate(undefined, {
                onSuccess: (id) => void navigate(resultPath(sent, id), { replace: true }),
              })
            }
          >
            Send again
          </Button>
        )}
        <Button
          variant={isRecognized === false ? 'filled' : 'default'}
          component={Link}
          to={paths.jobs({ name: sent.body.Name })}
        >
          See the jobs
        </Button>
        <Button
          disabled={resend.isPending}
          onClick={() => {
            unconfirmedDeploy.set(undefined);
            onDismiss();
          }}
        >
          Dismiss
        </Button>
      </div>
    </section>
  );
}
