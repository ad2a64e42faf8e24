// Pages that belong together, as tabs: each is a page of its own, at its own address.
import { useCapabilities } from '#/api/capabilities.ts';
import type { Capability } from '#/contract/account.ts';
import { paths } from '#/paths.ts';
import { NavLink } from '#/ui/url/link.tsx';
import classes from './page-tabs.module.css';

interface PageTabsProps {
  name: string;
  tabs: readonly { to: string; label: string }[];
}

/** On a phone the tabs scroll. */
const showCurrent = (nav: HTMLElement | null): void =>
  nav?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });

function PageTabs({ name, tabs }: PageTabsProps) {
  if (tabs.length < 2) return null;
  return (
    <nav ref={showCurrent} aria-label={name} className={classes.tabs}>
      {tabs.map(({ to, label }) => (
        <NavLink key={to} to={to} end>
          {label}
        </NavLink>
      ))}
    </nav>
  );
}

interface Tab {
  to: string;
  label: string;
  /** What the service has to offer for it; nothing for what the document has. */
  needs?: Capability;
}

const offeredOf = (tabs: readonly Tab[], all: readonly Capability[]) =>
  tabs.filter(({ needs }) => needs === undefined || all.includes(needs));

const JOBS: readonly Tab[] = [
  { to: paths.jobs(), label: 'Jobs' },
  { to: paths.rollouts(), label: 'Rollouts', needs: 'rollouts' },
  { to: paths.orders(), label: 'Standing orders', needs: 'orders' },
  { to: paths.queues(), label: 'Queues', needs: 'queue' },
  { to: paths.archive(), label: 'Archive', needs: 'archive' },
];
export const JobTabs = () => <PageTabs name="Jobs" tabs={offeredOf(JOBS, useCapabilities())} />;

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
/** Those of the page Activity; none where the service offers nothing for it. */
export const activityTabs = (all: readonly Capability[]): readonly Tab[] => offeredOf(ACTIVITY, all);
export const ActivityTabs = () => <PageTabs name="Activity" tabs={activityTabs(useCapabilities())} />;
