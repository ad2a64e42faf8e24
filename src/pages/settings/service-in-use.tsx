// The service that the dashboard talks to, and its version, for bug reports.
import { useQuery } from '@tanstack/react-query';
import { expiryInWords } from '#/contract/token-expiry.ts';
import { sessionQueries } from '#/api/session.ts';
import { CopyButton } from '#/ui/controls/copy-button.tsx';
import { Section } from '#/ui/page/page.tsx';
import { useNow } from '#/ui/controls/time.tsx';
import { View } from '#/ui/page/view.tsx';
import classes from './settings.module.css';

/** A service may leave out both. */
function aboutOf(session: object): string {
  const { Service, Version }: { Service?: unknown; Version?: unknown } = session;
  return [Service, Version].filter((word) => typeof word === 'string' && word !== '').join(' ') || 'Not reported';
}

export function ServiceInUse() {
  const now = useNow();
  const session = useQuery(sessionQueries.current());
  return (
    <Section title="Service">
      <View query={session} name="the service" empty={null} rows={2}>
        {(about) => {
          const expiry =
            about.TokenExpires === undefined ? undefined : expiryInWords(Date.parse(about.TokenExpires), now.getTime());
          return (
            <dl className={classes.facts}>
              <dt>Address</dt>
              <dd className="copied">
                <span className="mono">{location.origin}</span> <CopyButton value={location.origin} what="address" />
              </dd>
              <dt>Service</dt>
              <dd>{aboutOf(about)}</dd>
              {about.Upstream !== undefined && (
                <>
                  <dt>In front of</dt>
                  <dd>
                    <span className="mono">{about.Upstream}</span>, which stores the devices and everything about them
                  </dd>
                </>
              )}
              {expiry && (
                <>
                  <dt>Your token</dt>
                  <dd data-warn={expiry.warn}>{expiry.text}</dd>
                </>
              )}
              <dt>API</dt>
              <dd>
                <span className="mono">/v1</span>, with the header <span className="mono">Authorization: Bearer</span>{' '}
                and an API token
              </dd>
            </dl>
          );
        }}
      </View>
    </Section>
  );
}
