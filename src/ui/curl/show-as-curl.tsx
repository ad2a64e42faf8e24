// "Show as curl": the request that a form or dialog would send. It opens inside the dialog instead of covering it with
// another.
import { useState } from 'react';
import { IconTerminal2 } from '@tabler/icons-react';
import type { CurlRequest } from './curl-text.ts';
import { lazyPart } from '#/ui/late/lazy-dialog.tsx';
import classes from './show-as-curl.module.css';

const CurlLines = lazyPart(() => import('./curl-lines.tsx'), 'CurlLines');

interface ShowAsCurlProps {
  /** The request as typed so far. A long list can be a function, called only when it is shown. */
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
