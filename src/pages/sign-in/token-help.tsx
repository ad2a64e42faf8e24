// Where a token comes from, what becomes of it here, and when the one in the field ends.
import { useState } from 'react';
import { expiryInWords, tokenExpiry } from '#/contract/token-expiry.ts';
import { directAddress } from '#/api/direct.ts';
import classes from './sign-in-page.module.css';

export function TokenHelp({ token, upstream }: { token: string; upstream: string | undefined }) {
  const [now] = useState(Date.now);
  const expires = tokenExpiry(token);
  const expiry = expires === undefined ? undefined : expiryInWords(expires, now);
  return (
    <>
      <p id="token-help" className={classes.help}>
        {upstream === undefined ? (
          <>
            It was printed when the service first started; <code>npm run token</code> makes another.
          </>
        ) : (
          <>
            From the web portal of <code>{URL.parse(upstream)?.host ?? upstream}</code>, and sent to no other service.{' '}
            {directAddress === undefined
              ? 'Your browser does not keep it: the gateway holds it sealed until you sign out.'
              : 'Only this page holds it, until it is closed or reloaded: nothing keeps sessions here.'}
          </>
        )}
      </p>
      {expiry && (
        <p className={classes.help} data-warn={expiry.warn} role="status">
          {expiry.text}
        </p>
      )}
    </>
  );
}
