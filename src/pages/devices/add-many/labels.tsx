// Labels to stick on devices: name, id, and the install command as text and as a QR code. They are on the page only for
// the printer, where nothing else is printed; see labels.module.css.
import { memo, useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { encode } from 'uqr';
import { installCommands } from '#/pages/devices/install-commands.ts';
import type { Keyed } from './key-file.ts';
import classes from './labels.module.css';

/** Labels on a sheet. */
const SHEET = 14;

interface LabelsProps {
  keyed: readonly Keyed[];
  /** Tells how many labels are on the page. */
  onProgress: (count: number) => void;
}

export function Labels({ keyed, onProgress }: LabelsProps) {
  const sheets = Math.ceil(keyed.length / SHEET);
  const [drawn, setDrawn] = useState({ keyed, count: 0 });
  // Other keys: from the beginning.
  const count = drawn.keyed === keyed ? drawn.count : 0;
  // A sheet a task: drawing thousands of codes at once would freeze the page.
  useEffect(() => {
    onProgress(Math.min(keyed.length, count * SHEET));
    if (count >= sheets) return;
    const timer = setTimeout(() => setDrawn({ keyed, count: count + 1 }));
    return () => clearTimeout(timer);
  }, [keyed, count, sheets, onProgress]);
  return createPortal(
    <div className={`${classes['labels']} device-labels`}>
      {Array.from({ length: count }, (_, sheet) => (
        <Sheet key={sheet} keyed={keyed} from={sheet * SHEET} />
      ))}
    </div>,
    document.body,
  );
}

const Sheet = memo(function Sheet({ keyed, from }: { keyed: readonly Keyed[]; from: number }) {
  return (
    <div className={classes['sheet']}>
      {keyed.slice(from, from + SHEET).map(({ id, key, order }) => (
        <Label key={id} id={id} name={order.name} command={installCommands(location.origin, key).curl} />
      ))}
    </div>
  );
});

function Label({ id, name, command }: { id: string; name: string; command: string }) {
  return (
    <div className={classes['label']}>
      <QrCode text={command} />
      <div className={classes['words']}>
        <strong>{name}</strong>
        <span className={classes['id']}>{id}</span>
        <code>{command}</code>
      </div>
    </div>
  );
}

/** One path, a bar for each run of dark modules in a line. */
function QrCode({ text }: { text: string }) {
  // One mask for all, as good as any: to try each of them takes twenty times as long.
  const { size, data } = encode(text, { ecc: 'M', border: 2, maskPattern: 3, boostEcc: false });
  let path = '';
  data.forEach((line, y) => {
    for (let x = 0; x < size; x++) {
      if (!line[x]) continue;
      const from = x;
      while (line[x + 1]) x++;
      path += `M${from} ${y}h${x - from + 1}v1h-${x - from + 1}z`;
    }
  });
  return (
    <svg viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges" className={classes['code']} aria-hidden>
      <path d={path} />
    </svg>
  );
}
