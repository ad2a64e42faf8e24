// Pages that belong together, as tabs: each is a page of its own, at its own address.
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

const JOBS = [
  { to: paths.jobs(), label: 'Jobs' },
  { to: paths.rollouts(), label: 'Rollouts' },
  { to: paths.orders(), label: 'Standing orders' },
  { to: paths.queues(), label: 'Queues' },
  { to: paths.archive(), label: 'Archive' },
];
export const JobTabs = () => <PageTabs name="Jobs" tabs={JOBS} />;

const ARTIFACTS = [
  { to: paths.artifacts(), label: 'Artifacts' },
  { to: paths.workflows(), label: 'Workflows' },
];
export const ArtifactTabs = () => <PageTabs name="Artifacts" tabs={ARTIFACTS} />;

const ACTIVITY = [
  { to: paths.activity(), label: 'Audit log' },
  { to: paths.availability(), label: 'Availability' },
  { to: paths.alerts(), label: 'Alerts' },
];
export const ActivityTabs = () => <PageTabs name="Activity" tabs={ACTIVITY} />;
