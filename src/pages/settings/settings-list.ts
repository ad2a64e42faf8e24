// The pages of the settings, in the order in which they are listed.
import type { Capability } from '#/contract/account.ts';
import { paths } from '#/paths.ts';

export interface SettingsEntry {
  to: string;
  label: string;
  /** The capability that the page depends on, unless it is part of every /v1 service. */
  needs?: Capability;
}

const GROUPS: readonly { name: string; entries: readonly SettingsEntry[] }[] = [
  {
    name: 'Account',
    entries: [
      { to: paths.people(), label: 'People', needs: 'people' },
      { to: paths.tokens(), label: 'Tokens', needs: 'tokens' },
      { to: paths.sessions(), label: 'Sessions', needs: 'sessions' },
      { to: paths.channels(), label: 'Alert channels', needs: 'alerts' },
      { to: paths.usage(), label: 'Usage' },
    ],
  },
  {
    name: 'You',
    entries: [
      { to: paths.ownSignIn(), label: 'Sign-in', needs: 'people' },
      { to: paths.appearance(), label: 'Appearance' },
    ],
  },
];

export const settingsGroups = (all: readonly Capability[]) =>
  GROUPS.map(({ name, entries }) => ({
    name,
    entries: entries.filter(({ needs }) => needs === undefined || all.includes(needs)),
  }));
