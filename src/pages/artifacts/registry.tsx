// The registry: the stored artifacts, their search, and the storage that is left.
import { useMemo } from 'react';
import { Button, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { Account } from '#/contract/account.ts';
import { artifactEndpoints, type Artifact } from '#/contract/artifacts.ts';
import { counted, formatBytes } from '#/lib/format.ts';
import { Meter } from '#/ui/controls/meter.tsx';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import { plainText, urlSchema } from '#/ui/url/url-schema.ts';
import { useTyped } from '#/ui/url/use-typed.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { Empty } from '#/ui/page/view.tsx';
import type { ArtifactDialog } from './versions/artifact-facts.tsx';
import { ArtifactTable } from './artifact-table.tsx';
import { useRunsOn } from './versions/runs-on.ts';
import type { UsageIndex } from './versions/artifact-usage.ts';
import { groupVersions, searchVersions, sharedContent } from './versions/artifact-versions.ts';
import { roomLeft } from './upload/upload-findings.ts';
import classes from './artifacts-page.module.css';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

const registryUrl = urlSchema({ name: plainText });

interface RegistryProps {
  artifacts: Artifact[];
  account: Account | undefined;
  dialog: Dialog<ArtifactDialog>;
  marked: ReadonlySet<string>;
  usage: UsageIndex;
  isUsageUnknown: boolean;
}

export function Registry({ artifacts, account, dialog, marked, usage, isUsageUnknown }: RegistryProps) {
  const [{ name: wanted }, url] = useUrlState(registryUrl);
  const search = (name: string) => url.set({ name });
  const { typed, setTyped } = useTyped(wanted, search);
  const groups = useMemo(() => groupVersions(artifacts), [artifacts]);
  const twins = useMemo(() => sharedContent(artifacts), [artifacts]);
  // New artifacts are shown whatever the search is.
  const found = useMemo(() => searchVersions(groups, wanted, marked), [groups, wanted, marked]);
  const { runs } = useRunsOn();
  const noDelete = useMay(artifactEndpoints.remove, 'Deleting artifacts');
  const several = groups.some((group) => group.artifacts.length > 1);
  return (
    <>
      <div className={classes.tools}>
        <TextInput
          type="search"
          aria-label="Search by name, version or SHA-256"
          placeholder="Name, version or SHA-256"
          leftSection={<IconSearch size={16} stroke={1.6} aria-hidden />}
          value={typed}
          onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          className={classes.search}
        />
        <span className={classes.counts}>
          <span className="dim tabular">{countsText(artifacts.length, groups.length)}</span>
          <Gate why={noDelete ?? (several ? undefined : 'No artifact has more than one version')}>
            <Button variant="default" onClick={() => dialog.open('old')}>
              Delete old versions
            </Button>
          </Gate>
        </span>
        <Storage account={account} />
      </div>
      {isUsageUnknown && <p className="dim">This service does not report which jobs use an artifact.</p>}
      {found.length > 0 ? (
        <ArtifactTable
          groups={found}
          opened={wanted.trim() !== ''}
          dialog={dialog}
          marked={marked}
          usage={usage}
          runs={runs}
          twins={twins}
        />
      ) : (
        <Empty
          title={`No artifact matches “${wanted.trim()}”`}
          next={{ label: 'Clear the search', variant: 'default', onClick: () => search('') }}
        />
      )}
    </>
  );
}

const countsText = (artifacts: number, names: number) =>
  names === artifacts
    ? counted(artifacts, 'artifact')
    : `${counted(artifacts, 'version')} of ${counted(names, 'artifact')}`;

function Storage({ account }: { account: Account | undefined }) {
  const { ArtifactBytesUsed: used, ArtifactBytesLimit: limit } = account ?? {};
  if (used === undefined || limit === undefined) return null;
  return (
    <div className={classes.storage}>
      <Meter label="Storage" used={used} limit={limit} format={formatBytes} />
      {roomLeft(account) === 0 && <p>Full: delete artifacts you no longer deploy.</p>}
    </div>
  );
}
