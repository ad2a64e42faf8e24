// The columns of archived jobs, with the hits of a search.
import type { ArchiveItem, SearchHit } from '#/contract/archive.ts';
import { timesOf } from '#/features/jobs/job-times.ts';
import { targetOf, targetText } from '#/features/jobs/job-words.ts';
import { outcomeOf, jobWords } from '#/features/jobs/outcome.ts';
import { OutcomeCell } from '#/features/jobs/outcome-bar.tsx';
import { formatBytes } from '#/lib/format.ts';
import { visible } from '#/lib/glyphs.ts';
import { paths } from '#/paths.ts';
import { StateOf } from '#/ui/controls/state-mark.tsx';
import { Time } from '#/ui/controls/time.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { rowName, type Column } from '#/ui/table/table.tsx';
import { Link } from '#/ui/url/link.tsx';
import classes from './archive.module.css';

export const archivedName = ({ Job: { JobName, JobId } }: ArchiveItem): string => JobName || JobId;

/** Most hits shown per job. */
const MAX_HITS = 5;

const WHERE: Record<SearchHit['In'], string> = {
  JobName: 'job name',
  Command: 'command',
  DeviceName: 'device name',
  Stdout: 'stdout',
  Stderr: 'stderr',
  Result: 'result',
};

/** The path of the page that shows a hit, at its line. */
function pathOfHit({ Job: { JobId } }: ArchiveItem, { JobId: child, In, Line }: SearchHit): string {
  const line = In === 'Stdout' ? String(Line) : In === 'Stderr' ? `stderr.${Line}` : undefined;
  return child === JobId ? paths.job(JobId, line) : paths.childJob(JobId, child, line);
}

function Found({ item }: { item: ArchiveItem }) {
  const { Hits = [], MoreHits = false } = item;
  return (
    <div className={classes.found}>
      {Hits.slice(0, MAX_HITS).map((hit) => {
        const { JobId, DeviceName, In, Line, Text } = hit;
        const where = In === 'Stdout' || In === 'Stderr' ? `${WHERE[In]}, line ${Line}` : WHERE[In];
        return (
          <Link
            key={`${JobId} ${In} ${Line}`}
            to={pathOfHit(item, hit)}
            title={[DeviceName, where].filter(Boolean).join(', ')}
          >
            <bdi>{DeviceName || where}</bdi> <code>{visible(Text)}</code>
          </Link>
        );
      })}
      {(MoreHits || Hits.length > MAX_HITS) && <span className="dim">and more</span>}
    </div>
  );
}

export const archiveColumns = (isSearch: boolean): Column<ArchiveItem>[] => [
  {
    header: 'Name',
    width: isSearch ? '20%' : '24%',
    cell: (item) => (
      <Link to={paths.job(item.Job.JobId)} className={rowName}>
        <MiddleEllipsis text={archivedName(item)} />
      </Link>
    ),
  },
  {
    header: 'Target',
    width: '13%',
    phone: 'wide',
    cell: ({ Job }) => {
      const text = targetText(targetOf(Job));
      return <span title={text}>{text}</span>;
    },
  },
  isSearch
    ? { header: 'Found', width: '38%', phone: 'wide', cell: (item) => <Found item={item} /> }
    : {
        header: 'State',
        width: '32%',
        phone: 'wide',
        cell: (item) => {
          const outcome = outcomeOf(item.Job);
          return (
            <span className={classes.standing}>
              <StateOf words={jobWords(item.Job, outcome)} />
              {outcome && <OutcomeCell outcome={outcome} of={archivedName(item)} />}
            </span>
          );
        },
      },
  {
    header: 'Ended',
    width: '10%',
    phone: 'second',
    cell: ({ Job }) => <Time at={timesOf(Job).ended} raw={Job.EndTime} />,
  },
  {
    header: 'Archived',
    width: '10%',
    phone: 'hide',
    cell: ({ Job: { ArchivedTime = '' } }) => <Time at={new Date(ArchivedTime)} raw={ArchivedTime} />,
  },
  {
    header: 'Output',
    width: '11%',
    align: 'end',
    phone: 'end',
    cell: ({ OutputBytes }) => formatBytes(OutputBytes),
  },
];
