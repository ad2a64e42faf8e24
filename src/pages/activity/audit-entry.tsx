// The details of an entry of the audit log.
import type { ReactNode } from 'react';
import type { AuditEntry } from '#/contract/audit.ts';
import { CopyButton } from '#/ui/controls/copy-button.tsx';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { actionText } from '#/contract/audit-actions.ts';
import { actorText } from '#/features/audit-link/actor-text.ts';
import { AuditSubject } from './audit-table.tsx';

export function AuditEntryDialog({ entry, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const facts: [term: string, value: ReactNode, copied?: string][] = [
    [
      'Time',
      <span key="value" className="mono">
        {entry.Time}
      </span>,
    ],
    ['By', <bdi key="value">{actorText(entry)}</bdi>, entry.Actor],
    [
      'From',
      <span key="value" className="mono">
        {entry.Address}
      </span>,
    ],
    [
      'Action',
      <span key="value" className="mono">
        {entry.Action}
      </span>,
    ],
    ['Object', <AuditSubject key="value" entry={entry} />, entry.Object],
    ['Result', entry.Outcome === 'refused' ? 'Refused' : 'Done'],
    ['Entry', entry.Id],
    [
      'Hash',
      <span key="value" className="mono small">
        {entry.Hash || 'Pending'}
      </span>,
      entry.Hash,
    ],
  ];
  return (
    <BaseDialog title={actionText(entry.Action)} size="lg" onClose={onClose}>
      <dl className="facts">
        {facts.map(([term, value, copied]) => [
          <dt key={`${term} term`}>{term}</dt>,
          <dd key={term} className={copied ? 'copied' : ''}>
            {value} {copied && <CopyButton value={copied} what={term.toLowerCase()} />}
          </dd>,
        ])}
      </dl>
    </BaseDialog>
  );
}
