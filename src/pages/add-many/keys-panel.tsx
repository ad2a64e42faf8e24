// The keys of the new devices, once: as a file and as labels. Until one of them was taken, leaving asks.
import { useState } from 'react';
import { Button, Group } from '@mantine/core';
import { IconDownload, IconKey, IconPrinter } from '@tabler/icons-react';
import { datedName, saveFile } from '#/lib/save-file.ts';
import { AddressNote } from '#/features/install/address-note.tsx';
import { useInstall } from '#/features/install/use-install.ts';
import { counted, formatCount } from '#/lib/format.ts';
import { lazyPart } from '#/ui/late/lazy-dialog.tsx';
import { keyFile, type Keyed } from './key-file.ts';
import classes from './add-many.module.css';

// Asked for until it is here: drawn before, a failure would take the page away, and the keys with it.
const Labels = lazyPart(() => import('./labels.tsx'), 'Labels');

interface KeysPanelProps {
  keyed: readonly Keyed[];
  /** How many of them were neither saved nor printed, and are not in use. */
  untaken: number;
  running: boolean;
  onTaken: () => void;
}

export function KeysPanel({ keyed, untaken, running, onTaken }: KeysPanelProps) {
  /** Which keys the labels are made of; a later key needs new ones. */
  const [printing, setPrinting] = useState<readonly Keyed[]>([]);
  const [prepared, setPrepared] = useState(0);
  const { command, host } = useInstall();
  const isPreparing = printing.length > prepared;
  const isPrepared = printing.length > 0 && !isPreparing;
  const canPrint = isPrepared && printing.length === keyed.length;
  const prepare = () => {
    setPrepared(0);
    setPrinting(keyed);
  };
  const wait = running ? 'When all devices are created' : keyed.length === 0 ? 'There is no key' : undefined;
  return (
    <section className={classes.keys} aria-label="Keys" data-open={untaken > 0 || undefined}>
      <IconKey size={18} stroke={1.6} aria-hidden />
      <div className={classes.keysWords}>
        <h2>{counted(keyed.length, 'key')}</h2>
        <p role="status">
          {keyed.length === 0
            ? running
              ? 'They appear here when the devices are created.'
              : 'No device was created.'
            : untaken > 0
              ? `Shown only once: ${untaken === keyed.length ? 'they are' : `${formatCount(untaken)} of them are`} nowhere else. Download them or print labels before you leave this page.`
              : 'All are saved, printed or in use. They disappear when you leave this page.'}
        </p>
        {host === undefined && <AddressNote origin={location.origin} />}
        {isPrepared && untaken > 0 && (
          <p>
            <Button size="compact-sm" variant="default" onClick={onTaken}>
              The labels are printed
            </Button>
          </p>
        )}
      </div>
      <Group gap="sm">
        <Button
          variant="filled"
          leftSection={<IconDownload size={18} stroke={1.6} aria-hidden />}
          disabled={wait !== undefined}
          title={wait}
          onClick={() => {
            saveFile(datedName('device-keys'), keyFile(keyed, command));
            onTaken();
          }}
        >
          Download keys
        </Button>
        <Button
          variant="default"
          leftSection={<IconPrinter size={18} stroke={1.6} aria-hidden />}
          disabled={!canPrint && (wait !== undefined || isPreparing)}
          title={canPrint ? '' : wait}
          onClick={canPrint ? () => window.print() : prepare}
        >
          {canPrint
            ? `Print ${counted(keyed.length, 'label')}`
            : isPreparing
              ? `Preparing labels, ${formatCount(prepared)} of ${formatCount(printing.length)}`
              : 'Prepare labels'}
        </Button>
      </Group>
      <Labels open={printing.length > 0 && { keyed: printing, command, onProgress: setPrepared }} />
    </section>
  );
}
