// Requests as curl commands, each with a copy button.
import { CopyButton } from '#/ui/controls/copy-button.tsx';
import { curlText, type CurlRequest } from './curl-text.ts';
import { formatCount } from '#/lib/format.ts';
import classes from './show-as-curl.module.css';

/** A long list of similar requests is cut here. */
const MOST = 20;

export function CurlLines({ requests }: { requests: readonly CurlRequest[] }) {
  return (
    <div className={classes.lines}>
      {requests.slice(0, MOST).map((request) => {
        const text = curlText(request, request.base ?? location.origin);
        return (
          <div key={text} className={classes.line}>
            <pre tabIndex={0} role="region" aria-label={`${request.method} ${request.path} as curl`}>
              {text}
            </pre>
            <CopyButton value={text} what="the command" />
          </div>
        );
      })}
      {requests.length > MOST && <p>And {formatCount(requests.length - MOST)} more like these.</p>}
      <p className="dim">
        The token is left out: put one into the variable <code>TOKEN</code> first.
      </p>
    </div>
  );
}
