// Labels to stick on devices: name, id, and the install command as text and QR code, or just the key if there is no command.
// They are on the page only for printing, when nothing else is printed; see labels.module.css.
import { memo, useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { QrCode } from '#/ui/controls/qr-code.tsx';
import type { Keyed } from './key-file.ts';
import classes from './labels.module.css';

const SHEET = 14;

interface LabelsProps {
  keyed: readonly Keyed[];
  command: ((key: string) => string) | undefined;
  onProgress: (count: number) => void;
}

export function Labels({ keyed, command, onProgress }: LabelsProps) {
  const sheets = Math.ceil(keyed.length / SHEET);
  const [drawn, setDrawn] = useState({ keyed, count: 0 });
  // Other keys start over.
  const count = drawn.keyed === keyed ? drawn.count : 0;
  // One sheet per task: rendering thousands of codes at once would freeze the page.
  useEffect(() => {
    onProgress(Math.min(keyed.length, count * SHEET));
    if (count >= sheets) return;
    const timer = setTimeout(() => setDrawn({ keyed, count: count + 1 }));
    return () => clearTimeout(timer);
  }, [keyed, count, sheets, onProgress]);
  return createPortal(
    <div className={`${classes.labels} device-labels`}>
      {Array.from({ length: count }, (_, sheet) => (
        <Sheet key={sheet} keyed={keyed} command={command} from={sheet * SHEET} />
      ))}
    </div>,
    document.body,
  );
}

const Sheet = memo(function Sheet({ keyed, command, from }: Pick<LabelsProps, 'keyed' | 'command'> & { from: number }) {
  const lineOf = command ?? ((key: string) => key);
  return (
    <div className={classes.sheet}>
      {keyed.slice(from, from + SHEET).map(({ id, deviceKey, asked }) => (
        <div key={id} className={classes.label}>
          <QrCode text={lineOf(deviceKey)} className={classes.code} />
          <div className={classes.words}>
            <strong>{asked.DeviceName}</strong>
            <span className={classes.id}>{id}</span>
            <code>{lineOf(deviceKey)}</code>
          </div>
        </div>
      ))}
    </div>
  );
});
