// The actions of the palette that open no page: notifications, colour scheme, curl, and signing out.
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { signOut } from '#/api/session.ts';
import { noNotices, switchNotices, useNoticesOn } from '#/ui/controls/system-notices.ts';
import type { Entry } from './entry.ts';

export function useOwnActions(showRequests: () => void): Entry[] {
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme('light') === 'light' ? 'dark' : 'light';
  const isOn = useNoticesOn();
  const why = noNotices();
  return [
    {
      id: 'action:notices',
      label: isOn ? 'Turn off deployment notifications' : 'Turn on deployment notifications',
      also: 'system notifications desktop',
      detail: why ?? (isOn ? 'They are on' : 'The browser asks first'),
      run: () =>
        why === undefined
          ? void switchNotices(!isOn).then(() => {
              const refused = noNotices();
              if (refused) notifications.show({ message: refused, color: 'red' });
            })
          : void notifications.show({ message: why, color: 'red' }),
    },
    {
      id: 'action:scheme',
      label: `Switch to ${other}`,
      also: 'theme appearance light dark mode',
      run: () => setColorScheme(other),
    },
    {
      id: 'action:curl',
      label: 'Show the requests of this page as curl',
      also: 'api requests script terminal',
      run: showRequests,
    },
    {
      id: 'action:sign-out',
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
