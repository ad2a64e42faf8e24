// What this browser stores for the account, how much that is, and how to clear it.
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { Button } from '@mantine/core';
import { archiveMutations, archiveQueries } from '#/features/job-archive/archive-queries.ts';
import { useAccount } from '#/features/job-archive/use-account.ts';
import { paths } from '#/paths.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { DataTable } from '#/ui/table/table.tsx';
import { counted, formatBytes } from '#/lib/format.ts';
import { allStored, clearStored } from '#/lib/stored.ts';
import { storedParts, type StoredKind } from '#/lib/stored-keys.ts';
import { Section } from '#/ui/page/page.tsx';
import { useStore } from '#/ui/state/use-store.ts';
import { optional, urlSchema } from '#/ui/url/url-schema.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { focusPage } from '#/ui/dialog/use-focus-back.ts';
import classes from './account-page.module.css';

const WORDS: Record<StoredKind | 'archive', { name: string; loss: string }> = {
  archive: {
    name: 'Archive of executed jobs',
    loss: 'The archived jobs and their output are lost: the service no longer has them.',
  },
  views: { name: 'Views and columns of the device table', loss: 'Saved views and the choice of columns are lost.' },
  rules: { name: 'Outcome rules', loss: 'The rules that recognize success by the log are lost.' },
  verdicts: { name: 'Outcomes found by rules', loss: 'They are worked out again from the logs when needed.' },
  history: { name: 'History of usage and states', loss: 'Forecasts and recent changes start over.' },
  look: { name: 'Appearance', loss: 'Colours, rows, times and log settings return to their defaults.' },
  other: { name: 'Recently used and other settings', loss: 'They start over.' },
};

interface Row {
  kind: StoredKind | 'archive';
  bytes: number;
  keys: string[];
}

const browserDataUrl = urlSchema({ dialog: optional, kept: optional });

export function BrowserData() {
  const account = useAccount();
  const [{ dialog, kept: subject }, url] = useUrlState(browserDataUrl);
  const text = useStore(allStored);
  const archive = useQuery({ ...archiveQueries.list(account), enabled: account !== '' });
  const parts = useMemo(() => storedParts(text, account), [text, account]);
  const jobs = archive.data ?? [];
  const rows: Row[] = [
    ...(jobs.length > 0
      ? [{ kind: 'archive' as const, bytes: jobs.reduce((sum, { bytes }) => sum + bytes, 0), keys: [] }]
      : []),
    ...Array.from(parts, ([kind, part]) => ({ kind, ...part })),
  ];
  const asked = dialog === 'clear' ? subject : undefined;
  const chosen = asked === 'all' ? rows : rows.filter(({ kind }) => kind === asked);
  const ask = (kept: string) => url.open({ dialog: 'clear', kept });
  return (
    <Section
      title="Data in this browser"
      lead="Stored for this account only and never sent to the service. Signing out keeps it."
      actions={
        rows.length > 0 && (
          <Button variant="default" onClick={() => ask('all')}>
            Clear all
          </Button>
        )
      }
    >
      {archive.error && <p className={classes.note}>{archive.error.message}</p>}
      {rows.length > 0 ? (
        <DataTable
          name="Data in this browser"
          rows={rows}
          rowKey={({ kind }) => kind}
          columns={[
            {
              header: 'Data',
              phone: 'wide',
              cell: ({ kind }) =>
                kind === 'archive' ? (
                  <>
                    <Link to={paths.archive()}>{WORDS.archive.name}</Link>{' '}
                    <span className="dim">{counted(jobs.length, 'job')}</span>
                  </>
                ) : (
                  WORDS[kind].name
                ),
            },
            { header: 'Size', cell: ({ bytes }) => formatBytes(bytes), align: 'end' },
            {
              header: 'Actions',
              tools: true,
              cell: ({ kind }) => (
                <Button variant="default" size="xs" aria-label={`Clear ${WORDS[kind].name}`} onClick={() => ask(kind)}>
                  Clear
                </Button>
              ),
            },
          ]}
        />
      ) : (
        <p className={classes.note}>Nothing is stored.</p>
      )}
      {chosen.length > 0 && (
        <ClearDialog
          rows={chosen}
          jobs={chosen.some(({ kind }) => kind === 'archive') ? jobs.map(({ id }) => id) : []}
          account={account}
          onClose={() => url.close('dialog', 'kept')}
        />
      )}
    </Section>
  );
}

function ClearDialog(props: { rows: readonly Row[]; jobs: readonly string[]; account: string; onClose: () => void }) {
  const { rows, jobs, account, onClose } = props;
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Clear data in this browser"
      confirmLabel="Clear"
      typed={jobs.length > 0 ? String(jobs.length) : undefined}
      write={archiveMutations.remove(account, jobs)}
      onDone={() => {
        onClose();
        focusPage();
        clearStored(rows.flatMap(({ keys }) => keys));
      }}
    >
      <ul className={classes.losses}>
        {rows.map(({ kind, bytes }) => (
          <li key={kind}>
            <strong>{WORDS[kind].name}</strong> ({formatBytes(bytes)}). {WORDS[kind].loss}
          </li>
        ))}
      </ul>
    </ConfirmDialog>
  );
}
