// "Show as curl": what a form or a question would send, as a command for a script. It opens inside the dialog, so that
// no second one covers the first.
import { useState } from 'react';
import { IconTerminal2 } from '@tabler/icons-react';
import type { CurlRequest } from './curl-text.ts';
import { lazyPart } from '#/ui/late/lazy-dialog.tsx';
import classes from './show-as-curl.module.css';

const CurlLines = lazyPart(() => import('./curl-lines.tsx'), 'CurlLines');

interface ShowAsCurlProps {
  /** What is typed so far; several where they are sent one after the other, very many only made when they are shown. */
  request: CurlRequest | readonly CurlRequest[] | (() => readonly CurlRequest[]);
}

export function ShowAsCurl({ request }: ShowAsCurlProps) {
  const [open, setOpen] = useState(false);
  return (
    <div className={classes.show}>
      <button type="button" className={classes.button} aria-expanded={open} onClick={() => setOpen(!open)}>
        <IconTerminal2 size={16} stroke={1.6} aria-hidden />
        Show as curl
      </button>
      <CurlLines open={open && { requests: typeof request === 'function' ? request() : [request].flat() }} />
    </div>
  );
}
