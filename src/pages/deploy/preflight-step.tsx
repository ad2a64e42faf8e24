// The step of a deploy that checks its devices first: with predefined checks and custom lines, or with a workflow.
import '#/ui/form/checkbox.css';
import { useQuery } from '@tanstack/react-query';
import { Checkbox, Select, Textarea, TextInput } from '@mantine/core';
import { workflowQueries } from '#/api/workflows.ts';
import { Failure } from '#/ui/page/view.tsx';
import { WholeNumber } from '#/ui/form/whole-number.tsx';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { NEW_PREFLIGHT, preflightScript, type Checks, type PreflightPlan } from './preflight-script.ts';
import classes from './deploy.module.css';

export function PreflightStep({ plan, onChange }: { plan: PreflightPlan; onChange: (plan: PreflightPlan) => void }) {
  return (
    <>
      <SegmentedControl
        aria-label="Kind of preflight"
        value={plan.kind}
        onChange={(kind) => onChange({ ...plan, kind })}
        data={[
          { value: 'checks', label: 'Checks' },
          { value: 'workflow', label: 'A workflow' },
        ]}
      />
      {plan.kind === 'checks' ? (
        <CheckFields checks={plan.checks} onChange={(checks) => onChange({ ...plan, checks })} />
      ) : (
        <WorkflowField value={plan.workflow} onChange={(workflow) => onChange({ ...plan, workflow })} />
      )}
    </>
  );
}

function WorkflowField({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const { data, error, isFetching, refetch } = useQuery(workflowQueries.list());
  if (!data && error) return <Failure what="workflows" error={error} busy={isFetching} onRetry={refetch} />;
  return (
    <Select
      label="Workflow that checks"
      description="A device passes when it exits with 0"
      placeholder={data?.length === 0 ? 'There are no workflows' : 'Choose a workflow'}
      searchable
      value={value || null}
      onChange={(id) => onChange(id ?? '')}
      data={(data ?? []).map(({ WorkflowId, Name }) => ({ value: WorkflowId, label: Name || WorkflowId }))}
      nothingFoundMessage="No matching workflow"
    />
  );
}

function CheckFields({ checks, onChange }: { checks: Checks; onChange: (checks: Checks) => void }) {
  const { disk, version, battery, own } = checks;
  const set = (change: Checks) => onChange({ ...checks, ...change });
  return (
    <div className={classes.checks}>
      <Checkbox
        label="Disk space"
        checked={disk !== undefined}
        onChange={({ currentTarget: { checked } }) => set({ disk: checked ? NEW_PREFLIGHT.checks.disk : undefined })}
      />
      {disk && (
        <div className={classes.pair}>
          <WholeNumber
            label="Free, in MB"
            min={1}
            value={disk.megabytes}
            onChange={(megabytes) => set({ disk: { ...disk, megabytes } })}
          />
          <TextInput
            label="On the disk of"
            classNames={{ input: 'mono' }}
            value={disk.path}
            onChange={({ currentTarget: { value } }) => set({ disk: { ...disk, path: value } })}
          />
        </div>
      )}
      <Checkbox
        label="Version"
        checked={version !== undefined}
        onChange={({ currentTarget: { checked } }) =>
          set({ version: checked ? { command: 'cat /etc/version', expected: '' } : undefined })
        }
      />
      {version && (
        <div className={classes.pair}>
          <TextInput
            label="Command that prints it"
            classNames={{ input: 'mono' }}
            value={version.command}
            onChange={({ currentTarget: { value } }) => set({ version: { ...version, command: value } })}
          />
          <TextInput
            label="Must contain"
            value={version.expected}
            onChange={({ currentTarget: { value } }) => set({ version: { ...version, expected: value } })}
          />
        </div>
      )}
      <Checkbox
        label="Battery"
        checked={battery !== undefined}
        onChange={({ currentTarget: { checked } }) => set({ battery: checked ? { percent: 30 } : undefined })}
      />
      {battery && (
        <WholeNumber
          label="Minimum, in percent"
          description="A device without a battery passes"
          min={1}
          max={100}
          value={battery.percent}
          onChange={(percent) => set({ battery: { percent } })}
        />
      )}
      <Textarea
        label="Custom shell lines"
        description="Exit code 0 passes"
        classNames={{ input: 'mono' }}
        autosize
        minRows={2}
        maxRows={10}
        spellCheck={false}
        value={own ?? ''}
        onChange={({ currentTarget: { value } }) => set({ own: value })}
      />
      <details>
        <summary>The script</summary>
        <pre className={classes.code} tabIndex={0} aria-label="Script of the preflight">
          {preflightScript(checks)}
        </pre>
      </details>
    </div>
  );
}
