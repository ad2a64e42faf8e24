// The stored artifacts with their search and the room that is left.
import { useSearchParams } from 'react-router';
import { Button, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { Account } from '#/contract/account.ts';
import type { Artifact } from '#/contract/artifacts.ts';
import { formatBytes } from '#/ui/format.ts';
import { Meter } from '#/ui/meter.tsx';
import type { Dialog } from '#/ui/use-dialog.ts';
import { Empty } from '#/ui/view.tsx';
import type { ArtifactDialog } from './artifact-facts.tsx';
import { ArtifactTable } from './artifact-table.tsx';
import { newestFirst } from './artifact-versions.ts';
import { roomLeft } from './upload-findings.ts';
import classes from './artifacts-page.module.css';

interface RegistryProps {
  artifacts: Artifact[];
  account: Account | undefined;
  dialog: Dialog<ArtifactDialog>;
  /** Ids of those that were just uploaded. */
  marked: ReadonlySet<string>;
}

export function Registry({ artifacts, account, dialog, marked }: RegistryProps) {
  const [params, setParams] = useSearchParams();
  const name = params.get('name') ?? '';
  const search = (text: string) =>
    setParams(
      (now) => {
        if (text) now.set('name', text);
        else now.delete('name');
        return now;
      },
      { replace: true },
    );
  const wanted = name.trim().toLowerCase();
  // The new one stays in sight, whatever is searched for.
  const found = newestFirst(artifacts).filter(
    ({ ArtifactId, Name }) => marked.has(ArtifactId) || Name.toLowerCase().includes(wanted),
  );
  return (
    <>
      <div className={classes['tools']}>
        <TextInput
          type="search"
          aria-label="Search by name"
          placeholder="Search by name"
          leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
          value={name}
          onChange={({ currentTarget }) => search(currentTarget.value)}
          className={classes['search'] ?? ''}
        />
        <Storage account={account} />
      </div>
      {found.length > 0 ? (
        <ArtifactTable artifacts={found} dialog={dialog} marked={marked} />
      ) : (
        <Empty
          title={`No artifact is called “${name.trim()}”`}
          action={
            <Button variant="default" onClick={() => search('')}>
              Clear the search
            </Button>
          }
        />
      )}
    </>
  );
}

function Storage({ account }: { account: Account | undefined }) {
  const { ArtifactBytesUsed: used, ArtifactBytesLimit: limit } = account ?? {};
  if (used === undefined || limit === undefined) return null;
  return (
    <div className={classes['storage']}>
      <Meter label="Storage" used={used} limit={limit} format={formatBytes} />
      {roomLeft(account) === 0 && <p>Full: delete artifacts that are not deployed any more.</p>}
    </div>
  );
}
