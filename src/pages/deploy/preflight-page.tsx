// A running or ended preflight: the result of each device, and the deploy to those that passed. Its URL leads back to it.
import { useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { Button, NativeSelect } from '@mantine/core';
import type { Job } from '#/contract/jobs.ts';
import { isParent } from '#/contract/job-state.ts';
import { jobQueries } from '#/api/jobs.ts';
import { transferDevices } from '#/features/bulk/device-transfer.ts';
import { paths } from '#/paths.ts';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { rowName, type Column } from '#/ui/table/table.tsx';
import { devicesText, formatCount } from '#/lib/format.ts';
import { Page } from '#/ui/page/page.tsx';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Empty, View } from '#/ui/page/view.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import { Link } from '#/ui/url/link.tsx';
import { usePayload } from './use-payload.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { deployUrl, type DeployChoice } from './deploy-choice.ts';
import { PREFLIGHT_OUTCOMES, preflightOutcome, preflightText, type PreflightOutcome } from './preflight-outcome.ts';
import classes from './deploy.module.css';
import { jobEndpoints } from '#/contract/jobs.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

/** The job state with the mark for an outcome. */
const stateOf = (outcome: PreflightOutcome) => (outcome === 'Passed' ? 'Succeeded' : outcome);

interface Row {
  job: Job;
  outcome: PreflightOutcome;
  text: string;
}

/** The jobs of a preflight: the children, or the single job. */
function useChecks(id: string) {
  const one = useQuery(jobQueries.one(id));
  const job = one.data?.complete ? one.data.job : undefined;
  const parent = job && isParent(job) ? job.JobId : undefined;
  const children = useQuery({ ...jobQueries.children(parent ?? ''), enabled: parent !== undefined });
  const single = useMemo(() => job && [job], [job]);
  const isOne = parent === undefined;
  const { error, isFetching, refetch } = isOne ? one : children;
  return { title: job?.JobName ?? '', data: isOne ? single : children.data, error, isFetching, refetch };
}

export function PreflightPage({ id }: { id: string }) {
  const [{ payload: choice }] = useUrlState(deployUrl);
  const { title, ...checks } = useChecks(id);
  return (
    <Page title="Preflight" lead={title} back={<Link to={paths.deploy({ [choice.kind]: choice.value })}>Deploy</Link>}>
      <View
        query={checks}
        name="the preflight"
        isEmpty={(jobs) => jobs.length === 0}
        empty={
          <Empty
            title="There are no jobs of this preflight"
            next={{ label: 'Deploy', variant: 'default', to: paths.deploy() }}
          >
            They may have been deleted.
          </Empty>
        }
      >
        {(jobs) => <Results jobs={jobs} choice={choice} />}
      </View>
    </Page>
  );
}

const columns: Column<Row>[] = [
  {
    header: 'Device',
    width: '34%',
    cell: ({ job: { DeviceId, DeviceName } }) => (
      <Link to={paths.device(DeviceId)} className={rowName}>
        <MiddleEllipsis text={DeviceName || DeviceId} />
      </Link>
    ),
  },
  {
    header: 'Result',
    width: '120px',
    cell: ({ outcome }) => <StateMark state={stateOf(outcome)} label={outcome} />,
  },
  { header: 'Last output', phone: 'wide', cell: ({ text }) => <span title={text}>{text}</span> },
];

function Results({ jobs, choice }: { jobs: Job[]; choice: DeployChoice['payload'] }) {
  const payload = usePayload(choice);
  const navigate = useNavigate();
  const noDeploy = useMay(jobEndpoints.submit, 'Deploying', choice.kind === 'workflow' ? { WorkflowId: 'any' } : {});
  const [shown, setShown] = useState<PreflightOutcome | ''>('');
  const rows = useMemo(
    () => jobs.map((job): Row => ({ job, outcome: preflightOutcome(job), text: preflightText(job) })),
    [jobs],
  );
  const count = (outcome: PreflightOutcome) => rows.filter((row) => row.outcome === outcome).length;
  const outcomes = PREFLIGHT_OUTCOMES.filter((outcome) => count(outcome) > 0);
  const filter = shown !== '' && outcomes.includes(shown) ? shown : '';
  const passed = rows.filter(({ outcome }) => outcome === 'Passed').map(({ job }) => job.DeviceId);
  const open = count('Running') + count('Waiting');
  const reason = passed.length === 0 ? (open > 0 ? 'None has passed yet.' : 'None has passed.') : undefined;
  const order = (outcome: PreflightOutcome) => PREFLIGHT_OUTCOMES.indexOf(outcome);
  const visible = rows
    .filter(({ outcome }) => filter === '' || outcome === filter)
    .toSorted((one, two) => order(one.outcome) - order(two.outcome));
  return (
    <div className={classes.preflight}>
      <div role="status" className={classes.figures}>
        <strong>
          {formatCount(passed.length)} of {devicesText(rows.length)} passed
        </strong>
        {outcomes
          .filter((outcome) => outcome !== 'Passed')
          .map((outcome) => (
            <StateMark key={outcome} state={stateOf(outcome)} label={`${formatCount(count(outcome))} ${outcome}`} />
          ))}
      </div>
      {open > 0 && (
        <p className="dim">
          {devicesText(open)} {open === 1 ? 'has' : 'have'} not answered yet; one that is Offline answers when it is
          back.
        </p>
      )}
      <div className={classes.buttons}>
        <Gate why={noDeploy ?? reason}>
          <Button
            variant="filled"
            aria-describedby="preflight-reason"
            onClick={() =>
              void navigate(paths.deploy({ selection: transferDevices(passed), [choice.kind]: choice.value }))
            }
          >
            {passed.length === 0
              ? 'Deploy to those that passed'
              : `Deploy${payload ? ` ${payload.text}` : ''} to the ${formatCount(passed.length)} that passed`}
          </Button>
        </Gate>
        <span id="preflight-reason" className="dim">
          {noDeploy ?? reason ?? 'You review them again before anything is sent.'}
        </span>
      </div>
      {outcomes.length > 1 && (
        <NativeSelect
          size="xs"
          aria-label="Show results"
          className={classes.views}
          value={filter}
          onChange={(event) => setShown(event.currentTarget.value as PreflightOutcome | '')}
          data={[
            { value: '', label: `All ${formatCount(rows.length)}` },
            ...outcomes.map((outcome) => ({ value: outcome, label: `${outcome} ${formatCount(count(outcome))}` })),
          ]}
        />
      )}
      <VirtualTable name="Results of the preflight" columns={columns} rows={visible} rowKey={({ job }) => job.JobId} />
    </div>
  );
}
