// Tabs between pages that belong together. Each is a page at its own address.
import { useCapabilities } from '#/api/capabilities.ts';
import type { Capability } from '#/contract/account.ts';
import { paths } from '#/paths.ts';
import { NavLink } from '#/ui/url/link.tsx';
import classes from './page-tabs.module.css';

interface Tab {
  to: string;
  label: string;
  /** The capability that the page depends on, unless it is part of every /v1 service. */
  needs?: Capability;
}

/** On a phone the tabs scroll. */
const showCurrent = (nav: HTMLElement | null): void =>
  nav?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });

function PageTabs({ name, tabs }: { name: string; tabs: readonly Tab[] }) {
  const shown = offeredTabs(tabs, useCapabilities());
  if (shown.length < 2) return null;
  return (
    <nav ref={showCurrent} aria-label={name} className={classes.tabs}>
      {shown.map(({ to, label }) => (
        <NavLink key={to} to={to} end>
          {label}
        </NavLink>
      ))}
    </nav>
  );
}

const offeredTabs = (tabs: readonly Tab[], all: readonly Capability[]) =>
  tabs.filter(({ needs }) => needs === undefined || all.includes(needs));

const JOBS: readonly Tab[] = [
  { to: paths.jobs(), label: 'Jobs' },
  { to: paths.queues(), label: 'Queues', needs: 'queue' },
  { to: paths.archive(), label: 'Archive', needs: 'archive' },
];
const ROLLOUTS: readonly Tab[] = [
  { to: paths.rollouts(), label: 'Rollouts', needs: 'rollouts' },
  { to: paths.orders(), label: 'Standing orders', needs: 'orders' },
];
export const RolloutTabs = () => <PageTabs name="Rollouts" tabs={ROLLOUTS} />;

export const JobTabs = () => <PageTabs name="Jobs" tabs={JOBS} />;

const ARTIFACTS = [
  { to: paths.artifacts(), label: 'Artifacts' },
  { to: paths.workflows(), label: 'Workflows' },
];
export const ArtifactTabs = () => <PageTabs name="Artifacts" tabs={ARTIFACTS} />;

const ACTIVITY: readonly Tab[] = [
  { to: paths.activity(), label: 'Audit log', needs: 'audit' },
  { to: paths.availability(), label: 'Availability', needs: 'history' },
  { to: paths.alerts(), label: 'Alerts', needs: 'alerts' },
];
/** The tabs of Activity; none if the service offers none of them. */
export const activityTabs = (all: readonly Capability[]): readonly Tab[] => offeredTabs(ACTIVITY, all);
export const ActivityTabs = () => <PageTabs name="Activity" tabs={ACTIVITY} />;
