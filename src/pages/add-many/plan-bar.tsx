// The plan in words, and the buttons of the table of rows.
import { counted } from '#/lib/format.ts';
import { Button, Group } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { CurlRequest } from '#/ui/curl/curl-text.ts';
import { ShowAsCurl } from '#/ui/curl/show-as-curl.tsx';
import { licenceText, planText, type Plan } from './plan.ts';
import classes from './add-many.module.css';
import { Gate } from '#/ui/controls/gate.tsx';

interface PlanBarProps {
  plan: Plan;
  notes: string[];
  /** Why creating has to wait; undefined if it can start. */
  hold: string | undefined;
  requests: () => readonly CurlRequest[];
  onCreate: () => void;
  onChange: () => void;
  onNextProblem: () => void;
  onAddRow: () => void;
  onStartOver: () => void;
}

export function PlanBar(props: PlanBarProps) {
  const { plan, notes, hold, requests, onCreate, onChange, onNextProblem, onAddRow, onStartOver } = props;
  const licence = licenceText(plan);
  const problems = plan.faulty + plan.warned;
  const sentences = [
    ...(plan.warned > 0
      ? [
          `${counted(plan.warned, 'row')} ${plan.warned === 1 ? 'has a warning and is' : 'have warnings and are'} created anyway.`,
        ]
      : []),
    ...notes,
  ];
  const { ready, changes, hasExisting } = plan;
  const creates = ready.length > 0 || !hasExisting;
  const reason = ready.length === 0 && creates ? 'No row is without errors' : hold;
  return (
    <div className={classes.plan}>
      <div className={classes.planWords}>
        <p role="status">
          <strong>{planText(plan)}</strong>
        </p>
        {licence && (
          <p className={classes.licence}>
            <IconAlertTriangle size={16} stroke={1.6} aria-hidden />
            {licence}
          </p>
        )}
        {sentences.length > 0 && <p className="dim">{sentences.join(' ')}</p>}
        {reason !== undefined && <p className="dim">{reason}.</p>}
        {ready.length > 0 && <ShowAsCurl request={requests} />}
      </div>
      <Group gap="sm">
        {changes.length > 0 && (
          <Gate why={hold}>
            <Button variant={creates ? 'default' : 'filled'} onClick={onChange}>
              Change {counted(changes.length, 'device')}…
            </Button>
          </Gate>
        )}
        {creates && (
          <Gate why={reason}>
            <Button variant="filled" onClick={onCreate}>
              {ready.length === 0 ? 'Create devices' : `Create ${counted(ready.length, 'device')}`}
            </Button>
          </Gate>
        )}
        {problems > 0 && <Button onClick={onNextProblem}>{plan.faulty > 0 ? 'Next error' : 'Next warning'}</Button>}
        <Button onClick={onAddRow}>Add a row</Button>
        <Button onClick={onStartOver}>Clear the rows</Button>
      </Group>
    </div>
  );
}
