// The devices being created: the progress, the result of each row, and which devices have come Online.
import { memo, useState } from 'react';
import { Button, Group } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { counted, formatCount } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { CopyButton } from '#/ui/controls/copy-button.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { FormError } from '#/ui/page/view.tsx';
import { rowName, type Column } from '#/ui/table/table.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import { Link } from '#/ui/url/link.tsx';
import { creationState, creationText, isCreated, reasonsOf, type Creation } from './creation.ts';
import type { CreationRun } from './use-creation.ts';
import classes from './add-many.module.css';

interface RunPanelProps {
  run: CreationRun;
  arrived: ReadonlySet<string>;
  /** Makes the command that sets up a machine with a key, if there is one. */
  command: ((key: string) => string) | undefined;
  /** Returns rows that were not created to the table of rows. */
  onEdit: (rows: readonly Creation[]) => void;
}

type Shown = 'all' | 'problems' | 'waiting';

const hasProblem = ({ id, reason }: Creation) => id === '' || reason !== '';
const isOutcome = (outcome: Creation['outcome']) => (each: Creation) => each.outcome === outcome;

export function RunPanel({ run, arrived, command, onEdit }: RunPanelProps) {
  const [shown, setShown] = useState<Shown>('all');
  const { creations, total, running, pause, cancel, error } = run;
  const created = creations.filter(isCreated);
  const notOnline = created.filter(({ id }) => !arrived.has(id));
  const problems = creations.filter(hasProblem);
  const failed = creations.filter(isOutcome('failed'));
  const left = creations.filter(isOutcome('stopped'));
  const editable = [...failed, ...left];
  const rows = { all: creations, problems, waiting: notOnline }[shown];
  const text = creationText(creations, total, running);
  const again = (some: readonly Creation[]) => run.start(some.map(({ asked }) => asked));

  return (
    <section className={classes.run} aria-label="Created devices">
      <header className={classes.runHead}>
        <div>
          <h2>{running ? 'Creating devices' : 'Created devices'}</h2>
          <p role="status">
            {text}
            {pause > 0 && `. The service asked to wait ${formatCount(Math.round(pause / 1000))} s`}
          </p>
          {created.length > 0 && (
            <p>
              <StateMark
                state="Online"
                label={`${formatCount(created.length - notOnline.length)} of ${formatCount(created.length)} Online`}
              />
            </p>
          )}
        </div>
        <Group gap="sm">
          {running ? (
            <Button loading={cancel.isPending} onClick={() => cancel.mutate()}>
              Stop
            </Button>
          ) : (
            <>
              {left.length > 0 && (
                <Button onClick={() => again(left)}>Continue with {counted(left.length, 'row')}</Button>
              )}
              {failed.length > 0 && (
                <Button onClick={() => again(failed)}>Retry the failed ({formatCount(failed.length)})</Button>
              )}
              {editable.length > 0 && (
                <Button onClick={() => onEdit(editable)}>Edit {counted(editable.length, 'row')} not created</Button>
              )}
            </>
          )}
        </Group>
      </header>
      {running && (
        <progress
          aria-label="Creating devices"
          aria-valuetext={text}
          max={Math.max(1, total)}
          value={creations.length}
        />
      )}
      <FormError error={error} />
      {!running && <Endings creations={creations} />}
      {(problems.length > 0 || created.length > 1 || shown !== 'all') && (
        <SegmentedControl
          size="xs"
          aria-label="Which devices"
          value={shown}
          onChange={(value) => setShown(value)}
          data={[
            { value: 'all', label: `All ${formatCount(creations.length)}` },
            { value: 'problems', label: `Problems ${formatCount(problems.length)}` },
            { value: 'waiting', label: `Not Online yet ${formatCount(notOnline.length)}` },
          ]}
          className={classes.which}
        />
      )}
      {rows.length > 0 ? (
        <VirtualTable
          name="Devices"
          columns={columnsFor(arrived, command)}
          rows={rows}
          rowKey={({ rowKey }) => rowKey}
        />
      ) : (
        !running && <p className="dim">{shown === 'problems' ? 'No problems left.' : 'All are online.'}</p>
      )}
    </section>
  );
}

/** Why devices were not created. */
function Endings({ creations }: { creations: readonly Creation[] }) {
  const reasons = reasonsOf(creations).slice(0, 3);
  const lost = creations.filter(isOutcome('unknown'));
  if (reasons.length + lost.length === 0) return null;
  return (
    <div role="alert" className={classes.ending}>
      <IconAlertTriangle size={18} stroke={1.6} aria-hidden />
      <div>
        {reasons.map(({ reason, count }) => (
          <p key={reason}>
            {counted(count, 'row')} not created: {reason}
          </p>
        ))}
        {lost.map(({ rowKey, asked: { DeviceName } }) => (
          <p key={rowKey}>
            No answer arrived for {DeviceName}: it may have been accepted. Check the{' '}
            <Link to={paths.devices({ q: DeviceName })}>device list</Link> before you add it again.
          </p>
        ))}
      </div>
    </div>
  );
}

const columnsFor = (arrived: ReadonlySet<string>, command: RunPanelProps['command']): Column<Creation>[] => [
  {
    header: 'Name',
    width: '24%',
    cell: ({ id, asked }) => <Name id={id} name={asked.DeviceName} />,
  },
  {
    header: 'Id',
    width: '17%',
    phone: 'second',
    cell: ({ id }) => (
      <span className="mono dim" title={id}>
        {id}
      </span>
    ),
  },
  {
    header: 'Online',
    width: '12%',
    phone: 'end',
    cell: ({ id }) =>
      id === '' ? null : arrived.has(id) ? <StateMark state="Online" /> : <span className="dim">Not yet</span>,
  },
  { header: 'Created', width: '33%', phone: 'wide', cell: (creation) => <State creation={creation} /> },
  {
    header: 'Actions',
    width: '90px',
    tools: true,
    cell: ({ deviceKey, asked }) =>
      deviceKey !== undefined && (
        <CopyButton
          value={command?.(deviceKey) ?? deviceKey}
          what={`${command ? 'install command' : 'key'} of ${asked.DeviceName}`}
        />
      ),
  },
];

// Memoised so that only changed rows are rendered again while thousands are being created.
const Name = memo(function Name({ id, name }: { id: string; name: string }) {
  if (id === '') return <MiddleEllipsis className={rowName} text={name} />;
  return (
    <Link to={paths.device(id)} target="_blank" className={rowName}>
      <MiddleEllipsis text={name} />
    </Link>
  );
});

const State = memo(function State({ creation }: { creation: Creation }) {
  const { mark, words } = creationState(creation);
  return (
    <span className={classes.state}>
      <StateMark state={mark} label={words} />
      {creation.reason !== '' && <span className={classes.fault}>{creation.reason}</span>}
    </span>
  );
});
