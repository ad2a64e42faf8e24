// The entries of the audit log, newest first, and the dialog with all fields of one.
import { Fragment, useMemo, useState, type ReactNode } from 'react';
import { ActionIcon } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconInfoCircle } from '@tabler/icons-react';
import type { AuditEntry } from '#/contract/audit.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { CopyButton } from '#/ui/controls/copy-button.tsx';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Time } from '#/ui/controls/time.tsx';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import type { Column } from '#/ui/table/table.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import { actionText } from '#/contract/audit-actions.ts';
import { actorText } from '#/features/audit-link/actor-text.ts';
import { Link } from '#/ui/url/link.tsx';
import { formatCount } from '#/lib/format.ts';
import { withOpened, type AuditLine } from './audit-lines.ts';
import { itemsText, pageOf, subjectOf } from './audit-words.ts';
import classes from './audit-table.module.css';

interface AuditTableProps {
  lines: readonly AuditLine[];
  dialog: Dialog<'entry'>;
  /** Filters by this actor. */
  onActor: (actor: string) => void;
}

const keyOf = ({ entry }: AuditLine) => entry.Id;
const parentOf = ({ of }: AuditLine) => of;

const NONE: ReadonlySet<string> = new Set();
const countedEntries = (count: number) => `${formatCount(count)} ${count === 1 ? 'entry' : 'entries'}`;

/** The object of an entry, as a link if it has a page. */
function AuditSubject({ entry }: { entry: AuditEntry }) {
  const text = entry.ObjectName || itemsText(entry) || subjectOf(entry);
  const page = pageOf(entry);
  if (page === undefined) return <bdi>{text || '–'}</bdi>;
  return (
    <Link to={page}>
      <MiddleEllipsis text={text} />
    </Link>
  );
}

export function AuditTable({ lines, dialog, onActor }: AuditTableProps) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(NONE);
  const rows = useMemo(() => withOpened(lines, opened), [lines, opened]);
  const toggle = (id: string) =>
    setOpened((now) => new Set(now.has(id) ? [...now].filter((other) => other !== id) : [...now, id]));
  const columns: Column<AuditLine>[] = [
    {
      header: 'Action',
      width: '22%',
      cell: (line) => (
        <span className={line.of === undefined ? classes.action : classes.item}>
          {line.items.length > 0 && (
            <IconButton
              icon={opened.has(line.entry.Id) ? IconChevronDown : IconChevronRight}
              size="sm"
              className={classes.opener}
              label={`${countedEntries(line.items.length)} of ${itemsText(line.entry)}`}
              aria-expanded={opened.has(line.entry.Id)}
              onClick={() => toggle(line.entry.Id)}
            />
          )}
          {actionText(line.entry.Action)}
          {line.entry.Outcome === 'refused' && <StateMark state="Failed" label="Refused" />}
        </span>
      ),
    },
    { header: 'Object', phone: 'wide', cell: ({ entry }) => <AuditSubject entry={entry} /> },
    {
      header: 'By',
      width: '22%',
      phone: 'wide',
      cell: ({ entry }) => (
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
      cell: ({ entry: { Address } }) => <span className="mono dim">{Address}</span>,
    },
    {
      header: 'Time',
      width: '215px',
      phone: 'end',
      cell: ({ entry: { Time: time } }) => <Time at={parseTimestamp(time)} raw={time} exact />,
    },
    {
      header: 'Details',
      width: '64px',
      tools: true,
      cell: ({ entry }) => {
        const { to, state } = dialog.link('entry', entry.Id);
        return (
          <ActionIcon
            component={Link}
            to={to}
            state={state}
            variant="subtle"
            aria-label={`Details: ${actionText(entry.Action)} ${entry.ObjectName}`.trim()}
            title="Details"
          >
            <IconInfoCircle size={16} stroke={1.6} aria-hidden />
          </ActionIcon>
        );
      },
    },
  ];
  return <VirtualTable name="Audit log" columns={columns} rows={rows} rowKey={keyOf} parentOf={parentOf} />;
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
