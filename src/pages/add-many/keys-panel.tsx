// The keys of the new devices, as a file and as labels.
import { useState } from 'react';
import type { UseMutationOptions } from '@tanstack/react-query';
import { Button, Group } from '@mantine/core';
import { IconDownload, IconKey, IconPrinter, IconTrash } from '@tabler/icons-react';
import { datedName, saveFile } from '#/lib/save-file.ts';
import { AddressNote } from '#/features/install/address-note.tsx';
import { AllowTunnels } from '#/features/install/allow-tunnels.tsx';
import { useInstall } from '#/features/install/use-install.ts';
import { counted, formatCount } from '#/lib/format.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { keyFile, type Keyed } from './key-file.ts';
import classes from './add-many.module.css';

// Rendered only once it has loaded: a failed chunk would otherwise replace the page, and lose the keys.
const Labels = lazyPart(() => import('./labels.tsx'), 'Labels');

interface KeysPanelProps {
  keyed: readonly Keyed[];
  /** How many keys were neither saved nor printed, and are not in use. */
  untaken: number;
  /** Number of created devices whose keys cannot be shown. */
  gone: number;
  running: boolean;
  /** Deletes the keys from the service, which can show them until then. Undefined if only this page has them. */
  removal: UseMutationOptions | undefined;
  /** Makes the command that sets up a machine with a key, if there is one. */
  command: ((key: string) => string) | undefined;
  allowTunnels: boolean;
  onAllow: (allowed: boolean) => void;
  onTaken: () => void;
}

function keysText({ keyed, untaken, gone, running, removal }: KeysPanelProps): string {
  if (keyed.length === 0 && gone > 0) {
    const whose = gone === 1 ? 'The key of this device' : `The keys of these ${formatCount(gone)} devices`;
    return `${whose} cannot be shown: only the session that created them can read them, for an hour, until they are deleted. Create new keys on the pages of the devices.`;
  }
  if (keyed.length === 0) return running ? 'They appear here when the devices are created.' : 'No device was created.';
  const those = untaken === keyed.length ? 'they are' : `${formatCount(untaken)} of them are`;
  if (removal) {
    const until = 'You can read them on this page for an hour, in this session only.';
    return untaken > 0
      ? `${until} Download them or print labels before that.`
      : `All are saved, printed or in use. ${until}`;
  }
  return untaken > 0
    ? `Shown only once: ${those} nowhere else. Download them or print labels before you leave this page.`
    : 'All are saved, printed or in use. They disappear when you leave this page.';
}

export function KeysPanel(props: KeysPanelProps) {
  const { keyed, untaken, gone, running, removal, command, allowTunnels, onAllow, onTaken } = props;
  const [isRemoving, setRemoving] = useState(false);
  /** The keys of the labels; later keys need new labels. */
  const [printing, setPrinting] = useState<readonly Keyed[]>([]);
  const [prepared, setPrepared] = useState(0);
  const { host } = useInstall();
  const isPreparing = printing.length > prepared;
  const isPrepared = printing.length > 0 && !isPreparing;
  const canPrint = isPrepared && printing.length === keyed.length;
  const prepare = () => {
    setPrepared(0);
    setPrinting(keyed);
  };
  const wait = running ? 'Some devices are still being created' : keyed.length === 0 ? 'There is no key' : undefined;
  return (
    <section className={classes.keys} aria-label="Keys" data-open={untaken > 0 || undefined}>
      <IconKey size={18} stroke={1.6} aria-hidden />
      <div className={classes.keysWords}>
        <h2>{keyed.length === 0 && gone > 0 ? 'No keys to show' : counted(keyed.length, 'key')}</h2>
        <p role="status">{keysText(props)}</p>
        {host === undefined && keyed.length > 0 && (
          <>
            <AllowTunnels many checked={allowTunnels} onChange={onAllow} />
            <AddressNote origin={location.origin} />
          </>
        )}
        {isPrepared && untaken > 0 && (
          <p>
            <Button size="compact-sm" variant="default" onClick={onTaken}>
              The labels are printed
            </Button>
          </p>
        )}
      </div>
      <Group gap="sm">
        <Gate why={wait}>
          <Button
            variant="filled"
            leftSection={<IconDownload size={18} stroke={1.6} aria-hidden />}
            onClick={() => {
              saveFile(datedName('device-keys'), keyFile(keyed, command));
              onTaken();
            }}
          >
            Download keys
          </Button>
        </Gate>
        <Gate why={canPrint ? undefined : (wait ?? (isPreparing ? 'The labels are being prepared' : undefined))}>
          <Button
            variant="default"
            leftSection={<IconPrinter size={18} stroke={1.6} aria-hidden />}
            onClick={canPrint ? () => window.print() : prepare}
          >
            {canPrint
              ? `Print ${counted(keyed.length, 'label')}`
              : isPreparing
                ? `Preparing labels, ${formatCount(prepared)} of ${formatCount(printing.length)}`
                : 'Prepare labels'}
          </Button>
        </Gate>
        {removal && keyed.length > 0 && (
          <Gate why={wait}>
            <Button
              variant="default"
              leftSection={<IconTrash size={18} stroke={1.6} aria-hidden />}
              onClick={() => setRemoving(true)}
            >
              Delete keys
            </Button>
          </Gate>
        )}
      </Group>
      {removal && isRemoving && (
        <ConfirmDialog
          title="Delete the keys"
          confirmLabel={`Delete ${counted(keyed.length, 'key')}`}
          write={removal}
          onClose={() => setRemoving(false)}
        >
          Nobody can read them again. Devices that have their key are not affected.
          {untaken > 0 &&
            ` ${counted(untaken, 'key')} ${untaken === 1 ? 'was' : 'were'} neither downloaded nor printed.`}
        </ConfirmDialog>
      )}
      <Labels open={printing.length > 0 && { keyed: printing, command, onProgress: setPrepared }} />
    </section>
  );
}
