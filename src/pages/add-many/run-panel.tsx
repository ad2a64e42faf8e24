// The devices of a run: progress, what became of each row, and which are Online since.
import { memo, useState } from 'react';
import { Button, Group } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useInstall } from '#/features/install/use-install.ts';
import { paths } from '#/paths.ts';
import { CopyButton } from '#/ui/controls/copy-button.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { rowName, type Column } from '#/ui/table/table.tsx';
import { counted, formatCount } from '#/lib/format.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { Link } from '#/ui/url/link.tsx';
import type { AddRun } from './add-run.ts';
import type { RunEntry, RunView } from './run-entry.ts';
import { endingText, faultLines, figuresOf, hasProblem, runText, entryState } from './run-figures.ts';
import classes from './add-many.module.css';

interface RunPanelProps {
  run: AddRun;
  view: RunView;
  arrived: ReadonlySet<string>;
  /** Work has begun that ends in new devices or changes of them. */
  onWork: (work: Promise<void>) => void;
  /** Puts the rows that are no devices back into the table of rows. */
  onEdit: () => void;
}

type Shown = 'all' | 'problems' | 'waiting';

export function RunPanel({ run, view, arrived, onWork, onEdit }: RunPanelProps) {
  const [shown, setShown] = useState<Shown>('all');
  const { entries, running, ending } = view;
  const figures = figuresOf(entries);
  const { total, created, settled, failed, keyLost, waiting, editable } = figures;
  const problems = entries.filter(hasProblem);
  const notOnline = entries.filter(({ id }) => id !== undefined && !arrived.has(id));
  const rows = { all: entries, problems, waiting: notOnline }[shown];

  const actions: [isOffered: boolean, label: string, act: () => void][] = [
    [running, 'Stop', () => run.stop()],
    [!running && waiting > 0, `Continue with ${counted(waiting, 'row')}`, () => onWork(run.goOn())],
    [!running && failed > 0, `Retry ${formatCount(failed)} failed`, () => onWork(run.retry())],
    [!running && keyLost > 1, `New keys for ${formatCount(keyLost)} devices`, () => onWork(run.rekey())],
    [!running && editable > 0, `Edit ${counted(editable, 'row')} not created`, onEdit],
  ];
  const columns: Column<RunEntry>[] = [
    {
      header: 'Name',
      width: '24%',
      cell: ({ id, device }) => <Name id={id} name={device.name} />,
    },
    {
      header: 'Id',
      width: '17%',
      phone: 'second',
      cell: ({ id = '' }) => (
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
        id === undefined ? null : arrived.has(id) ? <StateMark state="Online" /> : <span className="dim">Not yet</span>,
    },
    { header: 'Created', width: '33%', phone: 'wide', cell: (entry) => <State entry={entry} /> },
    {
      header: 'Actions',
      width: '200px',
      tools: true,
      cell: (entry) => <Tools entry={entry} busy={running} run={run} onWork={onWork} />,
    },
  ];

  return (
    <section className={classes.run} aria-label="Created devices">
      <header className={classes.runHead}>
        <div>
          <h2>{running ? 'Creating devices' : 'Created devices'}</h2>
          <p role="status">{runText(view, figures)}</p>
          {created > 0 && (
            <p>
              <StateMark
                state="Online"
                label={`${formatCount(created - notOnline.length)} of ${formatCount(created)} Online`}
              />
            </p>
          )}
        </div>
        <Group gap="sm">
          {actions.map(
            ([isOffered, label, act], index) =>
              isOffered && (
                <Button key={index} variant="default" onClick={act}>
                  {label}
                </Button>
              ),
          )}
        </Group>
      </header>
      {running && (
        <progress aria-label="Creating devices" aria-valuetext={runText(view, figures)} max={total} value={settled} />
      )}
      {ending && !running && (
        <div role="alert" className={classes.ending}>
          <IconAlertTriangle size={18} stroke={1.6} aria-hidden />
          <span>{endingText(ending, figures)}</span>
        </div>
      )}
      {(problems.length > 0 || created > 1 || shown !== 'all') && (
        <SegmentedControl
          size="xs"
          aria-label="Which devices"
          value={shown}
          onChange={(value) => setShown(value)}
          data={[
            { value: 'all', label: `All ${formatCount(total)}` },
            { value: 'problems', label: `Problems ${formatCount(problems.length)}` },
            { value: 'waiting', label: `Not Online yet ${formatCount(notOnline.length)}` },
          ]}
          className={classes.which}
        />
      )}
      {rows.length === 0 ? (
        <p className="dim">{shown === 'problems' ? 'No problems left.' : 'All are Online.'}</p>
      ) : (
        <VirtualTable name="Devices" columns={columns} rows={[...rows]} rowKey={({ row }) => String(row.id)} />
      )}
    </section>
  );
}

// A row is drawn again only when it has changed: thousands change while they are created.
const Name = memo(function Name({ id, name }: { id: string | undefined; name: string }) {
  if (id === undefined) return <MiddleEllipsis className={rowName} text={name} />;
  return (
    <Link to={paths.device(id)} target="_blank" className={rowName}>
      <MiddleEllipsis text={name} />
    </Link>
  );
});

const State = memo(function State({ entry }: { entry: RunEntry }) {
  const { mark, words } = entryState(entry);
  return (
    <span className={classes.state}>
      <StateMark state={mark} label={words} />
      {faultLines(entry).map((line) => (
        <span key={line} className={classes.fault}>
          {line}
        </span>
      ))}
    </span>
  );
});

interface ToolsProps extends Pick<RunPanelProps, 'run' | 'onWork'> {
  entry: RunEntry;
  busy: boolean;
}

const Tools = memo(function Tools({ entry, busy, run, onWork }: ToolsProps) {
  const { row, device, state, missing, key, keyLost } = entry;
  const { command } = useInstall();
  return (
    <span className="snug">
      {state === 'failed' && missing.length > 0 && (
        <Button
          size="compact-xs"
          variant="default"
          disabled={busy}
          aria-label={`Retry ${device.name}`}
          onClick={() => onWork(run.retry(row))}
        >
          Retry
        </Button>
      )}
      {keyLost && (
        <Button
          size="compact-xs"
          variant="default"
          disabled={busy}
          aria-label={`New key for ${device.name}`}
          onClick={() => onWork(run.rekey(row))}
        >
          New key
        </Button>
      )}
      {key !== undefined && (
        <CopyButton value={command?.(key) ?? key} what={`${command ? 'install command' : 'key'} of ${device.name}`} />
      )}
    </span>
  );
});
