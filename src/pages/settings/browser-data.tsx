// What this browser stores for the account, its size, and how to clear it.
import { useMemo } from 'react';
import { mutationOptions, useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { sessionQueries } from '#/api/session.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { DataTable } from '#/ui/table/table.tsx';
import { formatBytes } from '#/lib/format.ts';
import { allStored, clearStored } from '#/lib/stored.ts';
import { storedParts, type StoredKind } from '#/lib/stored-keys.ts';
import { Section } from '#/ui/page/page.tsx';
import { useStore } from '#/ui/state/use-store.ts';
import { optional, urlSchema } from '#/ui/url/url-schema.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { focusPage } from '#/ui/dialog/use-focus-back.ts';
import classes from './settings.module.css';

const WORDS: Record<StoredKind, { name: string; loss: string }> = {
  views: {
    name: 'Columns and former views of the device table',
    loss: 'The choice of columns is lost, and views that only this browser has.',
  },
  rules: { name: 'Outcome rules of an earlier version', loss: 'Rules not moved to the service are lost.' },
  look: { name: 'Appearance', loss: 'Colours, rows, times and log settings return to their defaults.' },
  other: { name: 'Recently used and other settings', loss: 'They start over.' },
};

interface Row {
  kind: StoredKind;
  bytes: number;
  keys: string[];
}

/** Nothing is sent: the data is cleared when the dialog closes. */
const NOTHING_TO_SEND = mutationOptions({ mutationFn: async () => {} });

const browserDataUrl = urlSchema({ dialog: optional, kept: optional });

export function BrowserData() {
  const account = useQuery(sessionQueries.current()).data?.UserEmail ?? '';
  const [{ dialog, kept: subject }, url] = useUrlState(browserDataUrl);
  const text = useStore(allStored);
  const parts = useMemo(() => storedParts(text, account), [text, account]);
  const rows = Array.from(parts, ([kind, part]): Row => ({ kind, ...part }));
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
      {rows.length > 0 ? (
        <DataTable
          name="Data in this browser"
          rows={rows}
          rowKey={({ kind }) => kind}
          columns={[
            {
              header: 'Data',
              phone: 'wide',
              cell: ({ kind }) => WORDS[kind].name,
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
      {chosen.length > 0 && <ClearDialog rows={chosen} onClose={() => url.close('dialog', 'kept')} />}
    </Section>
  );
}

function ClearDialog({ rows, onClose }: { rows: readonly Row[]; onClose: () => void }) {
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Clear data in this browser"
      confirmLabel="Clear"
      write={NOTHING_TO_SEND}
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
