// The one decision that a paused rollout waits for: each choice with what follows from it.
import type { ReactNode } from 'react';
import { Button } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { rolloutEndpoints, type Rollout } from '#/contract/rollouts.ts';
import { useMe, whyNot } from '#/api/people.ts';
import type { RolloutAction } from '#/api/rollouts.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import { decisionOf, type FailureCause } from './rollout-decision.ts';
import classes from './rollouts.module.css';

interface DecisionCardProps {
  rollout: Rollout;
  /** Why most devices failed, once their logs are read. */
  cause: FailureCause | undefined;
  dialog: Dialog<RolloutAction>;
  /** Says when it paused, and why: by default as the service does. */
  stopped: (reason?: string) => ReactNode;
}

export function DecisionCard({ rollout, cause, dialog, stopped }: DecisionCardProps) {
  const me = useMe();
  const { text, isReason, choices } = decisionOf(rollout, cause) ?? { text: '', isReason: false, choices: [] };
  return (
    <section className={classes.decision} aria-label="Decision">
      <p className={classes.because}>
        <IconAlertTriangle size={18} stroke={1.6} aria-hidden />
        {isReason ? (
          <span>{stopped(text)}</span>
        ) : (
          <span>
            {stopped()} {text}
          </span>
        )}
      </p>
      <ul>
        {choices.map(({ action, label, consequence }, at) => (
          <li key={action}>
            <Gate why={whyNot(me, rolloutEndpoints[action])}>
              <Button variant={at === 0 ? 'filled' : 'default'} onClick={() => dialog.open(action)}>
                {label}…
              </Button>
            </Gate>
            <span>{consequence}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
