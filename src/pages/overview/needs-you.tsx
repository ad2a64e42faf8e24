// What waits for a person, each a line with its one action; one quiet line if nothing does.
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { IconCheck } from '@tabler/icons-react';
import { enrolmentQueries } from '#/api/enrolment.ts';
import { alertQueries } from '#/api/alerts.ts';
import { offers } from '#/api/capabilities.ts';
import { rolloutQueries } from '#/api/rollouts.ts';
import type { Account } from '#/contract/account.ts';
import type { Job } from '#/contract/jobs.ts';
import { daysLeft, usageFigures } from '#/features/usage/usage-history.ts';
import { useUsageHistory } from '#/features/usage/used-meter.tsx';
import { stored } from '#/lib/stored.ts';
import { formatCount } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { Time, useNow } from '#/ui/controls/time.tsx';
import { Section } from '#/ui/page/page.tsx';
import { useStore } from '#/ui/state/use-store.ts';
import { Link } from '#/ui/url/link.tsx';
import { failedLately } from './figures.ts';
import { needsOf, type Limit, type Need } from './needs.ts';
import { isNearlyUsed } from './tiles.tsx';
import classes from './needs-you.module.css';

/** More would push the fleet off the screen. */
const SHOWN = 6;

/** When the failures were looked at last, in this browser and account. */
const failuresSeen = stored('muster-failures-seen', 0, { read: (text) => Number(text) || 0, print: String });

function useLimits(account: Account): Limit[] {
  const history = useUsageHistory(account);
  return useMemo(() => {
    const limit = (label: string, to: string, kind: 'Devices' | 'ArtifactBytes', used?: number, most?: number) => {
      if (used === undefined || !most) return [];
      const figures = usageFigures(history, kind);
      return isNearlyUsed(used, most, figures) ? [{ label, to, used, limit: most, days: daysLeft(figures, most) }] : [];
    };
    return [
      ...limit('Device licences', paths.devices(), 'Devices', account.NumDevicesAdded, account.PlanMaxDeviceLimit),
      ...limit(
        'Artifact storage',
        paths.artifacts(),
        'ArtifactBytes',
        account.ArtifactBytesUsed,
        account.ArtifactBytesLimit,
      ),
    ];
  }, [account, history]);
}

interface NeedsYouProps {
  account: Account;
  jobs: Job[];
  isReadingJobs: boolean;
  /** Devices with stale jobs in their queues. */
  stale: number | undefined;
}

export function NeedsYou({ account, jobs, isReadingJobs, stale = 0 }: NeedsYouProps) {
  const now = useNow();
  const seenAt = useStore(failuresSeen);
  const rollouts = useQuery({ ...rolloutQueries.list(), enabled: offers(account, 'rollouts') });
  const alerts = useQuery({ ...alertQueries.firing(), enabled: offers(account, 'alerts') });
  const pending = useQuery({ ...enrolmentQueries.pending(), enabled: offers(account, 'enrolment') });
  const limits = useLimits(account);
  const needs = needsOf({
    rollouts: rollouts.data ?? [],
    alerts: alerts.data ?? [],
    failed: failedLately(jobs, now),
    seenAt,
    pending: pending.data ?? [],
    limits,
    stale,
  });
  const isReading = isReadingJobs || rollouts.isLoading || alerts.isLoading || pending.isLoading;
  const faults = [rollouts.error && 'rollouts', alerts.error && 'alerts', pending.error && 'devices that wait'].filter(
    (each) => each !== null,
  );
  const hidden = needs.length - SHOWN;
  return (
    <Section title="Needs you">
      {needs.length > 0 ? (
        <ul className={classes.needs}>
          {needs.slice(0, SHOWN).map((need) => (
            <Line key={need.key} need={need} />
          ))}
          {hidden > 0 && (
            <li>
              <span className="dim">and {formatCount(hidden)} more, less urgent</span>
            </li>
          )}
        </ul>
      ) : (
        <p className={classes.quiet} data-reading={isReading || undefined}>
          {isReading ? (
            'Loading…'
          ) : faults.length === 0 ? (
            <>
              <IconCheck size={16} stroke={1.8} aria-hidden /> Nothing needs you.
            </>
          ) : null}
        </p>
      )}
      {faults.length > 0 && <p className="dim tiny">The {faults.join(' and ')} could not be loaded.</p>}
    </Section>
  );
}

function Line({ need: { mark, text, detail, at, action, to, isFailures } }: { need: Need }) {
  return (
    <li>
      <span className={classes.what}>
        <StateMark state={mark} label={<bdi className={classes.text}>{text}</bdi>} />
      </span>
      {detail && (
        <span className={classes.detail} title={detail}>
          <bdi>{detail}</bdi>
        </span>
      )}
      <span className={classes.at}>{at && <Time at={at} />}</span>
      <Link
        to={to}
        className={classes.action}
        aria-label={`${action}: ${text}`}
        {...(isFailures && { onClick: () => failuresSeen.set(Date.now()) })}
      >
        {action}
      </Link>
    </li>
  );
}
