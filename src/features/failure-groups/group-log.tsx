// The end of one log of a group, and how it differs from the log of a device on which the same job succeeded.
import { useEffect, useMemo, useState } from 'react';
import type { To } from 'react-router';
import type { Job } from '#/contract/jobs.ts';
import { outputOf } from '#/features/jobs/job-output.ts';
import { verdictOf } from '#/features/jobs/verdict.ts';
import { formatCount } from '#/lib/format.ts';
import { visible } from '#/lib/glyphs.ts';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { Skeleton } from '#/ui/page/view.tsx';
import { Link } from '#/ui/url/link.tsx';
import type { FailureClient } from './failure-client.ts';
import type { Comparison } from './failure-grouping.ts';
import type { DiffRow } from './log-diff.ts';
import { plainLines, tailOf } from './plain-lines.ts';
import classes from './open-group.module.css';

/** Lines of the example log. */
const LAST = 60;
/** Successful devices among which the most similar log is chosen. */
const CANDIDATES = 12;
/** Successful devices whose output is read to find candidates. */
const LOOKED_AT = 48;

/** What is read of a log: its end or, by default, how it differs from a healthy one. */
export type Example = 'end' | undefined;

interface GroupLogProps {
  client: FailureClient;
  /** The failed job that is shown. */
  sample: Job;
  /** The jobs among which healthy logs are found, with their output as read so far. */
  jobs: readonly Job[];
  /** Reads the output of these jobs. The same function as long as it reads from the same place. */
  onWant: (jobs: readonly Job[]) => void;
  nameOf: (job: Job) => string;
  /** Where the whole log is. */
  whole: { to: To; state?: unknown };
  example: Example;
  onExample: (example: Example) => void;
}

export function GroupLog(props: GroupLogProps) {
  const { client, sample, jobs, onWant, nameOf, whole, example, onExample } = props;
  const healthy = useHealthy(jobs, onWant);
  const compared = example !== 'end' && healthy.length > 0;
  const comparison = useComparison(client, compared ? sample : undefined, healthy);
  const name = visible(nameOf(sample));
  const other = healthy[comparison?.against ?? 0];
  const otherName = other && visible(nameOf(other));
  return (
    <section className={classes.log} aria-label={`Log of ${name}, as an example`}>
      <header>
        <SegmentedControl
          size="xs"
          aria-label="What to read"
          value={compared ? 'difference' : 'end'}
          onChange={(value) => onExample(value === 'end' ? value : undefined)}
          data={[
            { value: 'difference', label: 'Difference from a healthy log', disabled: healthy.length === 0 },
            { value: 'end', label: 'End of the log' },
          ]}
        />
        <Link to={whole.to} state={whole.state} preventScrollReset>
          Full log of {name}
        </Link>
      </header>
      {compared ? (
        comparison ? (
          <Difference comparison={comparison} failed={name} healthy={otherName ?? ''} />
        ) : (
          <Skeleton name="the difference" rows={5} />
        )
      ) : (
        <>
          {healthy.length === 0 && (
            <p className={classes.hint}>No device has succeeded yet, so there is no healthy log to compare with.</p>
          )}
          <Lines rows={endOf(sample)} name={`End of the log of ${name}`} empty="It printed nothing." />
        </>
      )}
    </section>
  );
}

function firstOf(jobs: readonly Job[], isWanted: (job: Job) => boolean, most: number): Job[] {
  const found: Job[] = [];
  for (const job of jobs) {
    if (found.length === most) break;
    if (isWanted(job)) found.push(job);
  }
  return found;
}

/** Some jobs that succeeded and printed something; the same array as long as they are the same. */
function useHealthy(jobs: readonly Job[], onWant: (jobs: readonly Job[]) => void): Job[] {
  const succeeded = useMemo(() => firstOf(jobs, (job) => verdictOf(job).verdict === 'Succeeded', LOOKED_AT), [jobs]);
  useEffect(() => onWant(succeeded), [onWant, succeeded]);
  const found = useMemo(
    () => succeeded.filter(({ Stdout, Stderr, Result }) => Stdout || Stderr || Result).slice(0, CANDIDATES),
    [succeeded],
  );
  const [same, setSame] = useState(found);
  if (found.length === same.length && found.every((child, index) => child === same[index])) return same;
  setSame(found);
  return found;
}

function useComparison(client: FailureClient, failed: Job | undefined, healthy: Job[]): Comparison | undefined {
  const [found, setFound] = useState<{ failed: Job; comparison: Comparison }>();
  useEffect(() => {
    if (!failed || healthy.length === 0) return;
    let live = true;
    void client.compare(failed, healthy).then((comparison) => {
      if (live && comparison) setFound({ failed, comparison });
    });
    return () => {
      live = false;
    };
  }, [client, failed, healthy]);
  return found && found.failed === failed ? found.comparison : undefined;
}

function endOf(job: Job): DiffRow[] {
  return outputOf(job)
    .streams.flatMap(({ text, error = false }) =>
      plainLines(tailOf(text, 20_000))
        .slice(-LAST)
        .map((line): DiffRow => ({ side: 'both', text: line, error, count: 1 })),
    )
    .slice(-LAST);
}

function Difference(props: { comparison: Comparison; failed: string; healthy: string }) {
  const { comparison, failed, healthy } = props;
  const { rows, sameUntil, coarse, more } = comparison;
  const differs = rows.some(({ side }) => side === 'failed' || side === 'healthy');
  return (
    <>
      <p className={classes.hint}>
        {differs ? (
          <>
            {sameUntil > 0
              ? `The first ${sameUntil === 1 ? 'line says' : `${formatCount(sameUntil)} lines say`} the same on both, then they part. `
              : 'They differ from the first line on. '}
            <span className={classes.legend}>
              <span data-side="failed">− {failed}</span> <span data-side="healthy">+ {healthy}, succeeded</span>
            </span>
          </>
        ) : (
          `Both logs say the same, but for numbers, times and names (healthy: ${healthy}).`
        )}
      </p>
      {coarse && <p className={classes.hint}>They differ in so many lines that only their beginnings are compared.</p>}
      <Lines rows={rows} name={`Difference between ${failed} and ${healthy}`} empty="Both printed nothing." />
      {more > 0 && <p className={classes.hint}>{formatCount(more)} more lines are not shown.</p>}
    </>
  );
}

const MARKS: Record<DiffRow['side'], string> = { both: ' ', failed: '−', healthy: '+', gap: '⋯' };
/** Labels for screen readers, which do not announce the marks. */
const SIDE_LABELS: Partial<Record<DiffRow['side'], string>> = {
  failed: 'Only here: ',
  healthy: 'Only in the healthy log: ',
};

function Lines({ rows, name, empty }: { rows: DiffRow[]; name: string; empty: string }) {
  if (rows.length === 0) return <p className={classes.hint}>{empty}</p>;
  return (
    <div role="region" aria-label={name} tabIndex={0} className={classes.lines}>
      {rows.map(({ side, text, error, count }, index) => (
        // Lines have no key but their index.
        <div key={index} data-side={side} data-error={error || undefined}>
          <span className={classes.mark} aria-hidden>
            {MARKS[side]}
          </span>
          {SIDE_LABELS[side] && <span className="visually-hidden">{SIDE_LABELS[side]}</span>}
          <span>{side === 'gap' ? `${formatCount(count)} identical lines` : visible(text) || ' '}</span>
        </div>
      ))}
    </div>
  );
}
