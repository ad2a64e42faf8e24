// The frame of all settings: the list of its pages, beside the page or, on a phone, above it.
import { useId } from 'react';
import { Outlet } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { accountQueries } from '#/api/account.ts';
import { NavLink } from '#/ui/url/link.tsx';
import { settingsGroups } from './settings-list.ts';
import classes from './settings.module.css';

/** On a phone the list scrolls sideways. After `scrollIntoView`, Tab would begin in the list instead of at the skip link. */
function showCurrent(nav: HTMLElement | null): void {
  const current = nav?.querySelector('[aria-current]')?.getBoundingClientRect();
  if (!nav || !current) return;
  const { left, width } = nav.getBoundingClientRect();
  nav.scrollLeft += current.left - left - (width - current.width) / 2;
}

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
