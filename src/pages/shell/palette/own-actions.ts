// The actions of the palette that lead to no page: how it looks, and the way out.
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { signOut } from '#/api/session.ts';
import type { Entry } from './entry.ts';

export function useOwnActions(showRequests: () => void): Entry[] {
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light') === 'light' ? 'dark' : 'light';
  return [
    {
      id: 'action:scheme',
      kind: 'Actions',
      label: `Switch to ${other}`,
      also: 'theme appearance light dark mode',
      run: () => setColorScheme(other),
    },
    {
      id: 'action:curl',
      kind: 'Actions',
      label: 'Show what this page reads as curl',
      also: 'api requests script terminal',
      run: showRequests,
    },
    {
      id: 'action:sign-out',
      kind: 'Actions',
      label: 'Sign out',
      also: 'log out leave',
      run: () =>
        void signOut().catch((error: unknown) =>
          notifications.show({
            message: `Not signed out: ${error instanceof Error ? error.message : String(error)}`,
            color: 'red',
          }),
        ),
    },
  ];
}
