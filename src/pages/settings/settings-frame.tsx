// The frame of all settings: the list of its pages, beside the page or, on a phone, above it.
import { useId } from 'react';
import { Outlet } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { accountQueries } from '#/api/account.ts';
import { NavLink } from '#/ui/url/link.tsx';
import { settingsGroups } from './settings-list.ts';
import classes from './settings.module.css';

/** On a phone the list scrolls sideways. */
const showCurrent = (nav: HTMLElement | null): void =>
  nav?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });

export function SettingsFrame() {
  const id = useId();
  // Until it is known what the service offers, the list is empty: entries that came later would move the others.
  const account = useQuery(accountQueries.get()).data;
  const groups = account ? settingsGroups(account.Capabilities ?? []) : [];
  return (
    <div className={classes.frame}>
      <nav aria-label="Settings" className={classes.nav} ref={showCurrent} key={groups.length}>
        {groups.map(({ name, entries }) => (
          <div key={name} role="group" className={classes.group} aria-labelledby={`${id}${name}`}>
            <div id={`${id}${name}`} className={classes.groupName}>
              {name}
            </div>
            {entries.map(({ to, label }) => (
              <NavLink key={to} to={to}>
                {label}
              </NavLink>
            ))}
          </div>
        ))}
      </nav>
      <div className={classes.content}>
        <Outlet />
      </div>
    </div>
  );
}
