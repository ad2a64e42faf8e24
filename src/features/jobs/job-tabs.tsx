// The pages about jobs, as tabs: each is a page of its own.
import { NavLink } from 'react-router';
import { paths } from '#/paths.ts';
import classes from './job-tabs.module.css';

const TABS = [
  { to: paths.jobs(), label: 'Jobs' },
  { to: paths.queues(), label: 'Queues' },
  { to: paths.archive(), label: 'Archive' },
];

export function JobTabs() {
  return (
    <nav aria-label="Jobs" className={classes.tabs}>
      {TABS.map(({ to, label }) => (
        <NavLink key={to} to={to} end>
          {label}
        </NavLink>
      ))}
    </nav>
  );
}
