// The findings about a file: errors and warnings with their fix, then passed checks.
import { formatCount } from '#/lib/format.ts';
import { CopyButton } from '#/ui/controls/copy-button.tsx';
import { paths } from '#/paths.ts';
import { Link } from '#/ui/url/link.tsx';
import { byWeight, type Finding } from './finding.ts';
import classes from './check-list.module.css';

const stroke = {
  fill: 'none',
  stroke: 'currentColor',
  strokeWidth: 1.6,
  strokeLinecap: 'round',
  strokeLinejoin: 'round',
} as const;
const MARKS = {
  error: {
    word: 'Error',
    shape: <path d="M5 1.5h6L14.5 5v6L11 14.5H5L1.5 11V5zM5.8 5.8l4.4 4.4M10.2 5.8l-4.4 4.4" {...stroke} />,
  },
  warning: { word: 'Warning', shape: <path d="M8 2L14.5 13.5h-13zM8 6.5v3M8 11.4v.2" {...stroke} /> },
  ok: { word: 'Fine', shape: <path d="M3 8.5l3.2 3.2L13 5" {...stroke} /> },
};

export function CheckList({ findings, sha256 }: { findings: Finding[] | undefined; sha256?: string | undefined }) {
  return (
    <div className={classes.checks} role="group" aria-label="Checks" aria-busy={!findings}>
      {findings ? (
        <ul>
          {byWeight(findings).map(({ level, text, fix, artifact }) => (
            <li key={text} data-level={level}>
              <svg width="16" height="16" viewBox="0 0 16 16" role="img" aria-label={MARKS[level].word}>
                {MARKS[level].shape}
              </svg>
              <span>
                {text}
                {artifact !== undefined && (
                  <>
                    {' '}
                    {/* In another tab: leaving this page would drop the file. */}
                    <Link to={paths.artifact(artifact)} target="_blank">
                      Show it
                    </Link>
                  </>
                )}
                {fix && <span className={classes.fix}>{fix}</span>}
              </span>
            </li>
          ))}
          {sha256 && (
            <li className={classes.sum}>
              <span />
              <span>
                SHA-256 <code>{sha256}</code>
                <CopyButton value={sha256} what="SHA-256" />
              </span>
            </li>
          )}
        </ul>
      ) : (
        <p className="dim">Checking the file…</p>
      )}
      <p role="status" className="visually-hidden">
        {findings && summaryOf(findings)}
      </p>
    </div>
  );
}

function summaryOf(findings: readonly Finding[]): string {
  const count = (of: 'error' | 'warning') => {
    const { length } = findings.filter(({ level }) => level === of);
    return length === 1 ? `one ${of}` : length > 1 ? `${formatCount(length)} ${of}s` : undefined;
  };
  if (count('error')) return `The file cannot be uploaded: ${count('error')}`;
  return `Checked: ${count('warning') ?? 'the file is fine'}`;
}
