// The entries of the audit log, newest first, and the dialog with all fields of one.
import { Fragment, type ReactNode } from 'react';
import type { AuditEntry } from '#/contract/audit.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { CopyButton } from '#/ui/controls/copy-button.tsx';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Time } from '#/ui/controls/time.tsx';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import type { Column } from '#/ui/table/table.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import { actionText } from '#/contract/audit-actions.ts';
import { actorText } from '#/features/audit-link/actor-text.ts';
import { Link } from '#/ui/url/link.tsx';
import { pageOf, subjectOf } from './audit-words.ts';
import classes from './audit-table.module.css';

interface AuditTableProps {
  entries: readonly AuditEntry[];
  dialog: Dialog<'entry'>;
  /** Filters by this actor. */
  onActor: (actor: string) => void;
}

const keyOf = ({ Id }: AuditEntry) => Id;

/** The object of an entry, as a link if it has a page. */
function AuditSubject({ entry }: { entry: AuditEntry }) {
  const text = entry.ObjectName || subjectOf(entry);
  const page = pageOf(entry);
  return page === undefined ? <bdi>{text || '–'}</bdi> : <Link to={page}>{<bdi>{text}</bdi>}</Link>;
}

export function AuditTable({ entries, dialog, onActor }: AuditTableProps) {
  const columns: Column<AuditEntry>[] = [
    {
      header: 'Action',
      width: '28%',
      cell: (entry) => (
        <span className="inline">
          <Link {...dialog.link('entry', entry.Id)}>{actionText(entry.Action)}</Link>
          {entry.Outcome === 'refused' && <StateMark state="Failed" label="Refused" />}
        </span>
      ),
    },
    { header: 'Object', width: '26%', phone: 'wide', cell: (entry) => <AuditSubject entry={entry} /> },
    {
      header: 'By',
      phone: 'wide',
      cell: (entry) => (
        <button
          type="button"
          className={`bare ${classes.actor}`}
          title="Show only these entries"
          onClick={() => onActor(entry.Actor)}
        >
          <bdi>{actorText(entry)}</bdi>
        </button>
      ),
    },
    {
      header: 'From',
      width: '140px',
      room: 'medium',
      phone: 'second',
      cell: ({ Address }) => <span className="mono dim">{Address}</span>,
    },
    {
      header: 'Time',
      width: '120px',
      phone: 'end',
      cell: ({ Time: time }) => <Time at={parseTimestamp(time)} raw={time} />,
    },
  ];
  return <VirtualTable name="Audit log" columns={columns} rows={entries} rowKey={keyOf} />;
}

export function AuditEntryDialog({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const mono = (text: string) => <span className="mono">{text}</span>;
  const facts: [term: string, value: ReactNode, copied?: string][] = [
    ['Time', mono(entry.Time)],
    ['By', <bdi key="by">{actorText(entry)}</bdi>, entry.Actor],
    ['From', mono(entry.Address)],
    ['Action', mono(entry.Action)],
    ['Object', <AuditSubject key="object" entry={entry} />, entry.Object],
    ['Result', entry.Outcome === 'refused' ? 'Refused' : 'Done'],
    ['Entry', entry.Id],
    ['Hash', mono(entry.Hash || 'Pending'), entry.Hash],
  ];
  return (
    <BaseDialog title={actionText(entry.Action)} size="lg" onClose={onClose}>
      <dl className="facts">
        {facts.map(([term, value, copied]) => (
          <Fragment key={term}>
            <dt>{term}</dt>
            <dd className={copied ? 'copied' : ''}>
              {value} {copied && <CopyButton value={copied} what={term.toLowerCase()} />}
            </dd>
          </Fragment>
        ))}
      </dl>
    </BaseDialog>
  );
}
