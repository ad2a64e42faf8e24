// The history of a rollout: what people and the service did to it.
import { useState } from 'react';
import { Button } from '@mantine/core';
import type { Rollout } from '#/contract/rollouts.ts';
import { useAuditLink } from '#/features/audit-link/use-audit-link.tsx';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { formatCount } from '#/lib/format.ts';
import { Section } from '#/ui/page/page.tsx';
import classes from './rollouts.module.css';

/** Steps shown before "Show all". */
const SHOWN = 8;

export function RolloutSteps({ rollout: { RolloutId, Steps: steps } }: { rollout: Rollout }) {
  const audit = useAuditLink(RolloutId);
  const [all, setAll] = useState(false);
  const shown = all ? steps : steps.slice(0, SHOWN);
  return (
    <Section title="History" actions={audit}>
      <ol className={classes.steps} aria-label="History">
        {shown.map(({ Time, Actor, ActorName, Text, Reason }, at) => (
          <li key={steps.length - at}>
            <span>
              {Text}
              {Reason && <>: {Reason}</>}
            </span>
            <span className="dim">
              {Actor && `${ActorName || Actor}, `}
              <Timestamp text={Time} />
            </span>
          </li>
        ))}
      </ol>
      {shown.length < steps.length && (
        <Button size="xs" onClick={() => setAll(true)}>
          Show all {formatCount(steps.length)}
        </Button>
      )}
    </Section>
  );
}
