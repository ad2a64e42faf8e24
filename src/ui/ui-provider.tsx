// Mantine with our theme, the style sheets of just the components in use, and the CSP nonce for what it injects.
import '@fontsource-variable/jetbrains-mono/wght.css';
import '@mantine/core/styles/global.css';
import '@mantine/core/styles/UnstyledButton.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/CloseButton.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/Menu.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Paper.css';
import '@mantine/core/styles/Group.css';
import '@mantine/core/styles/Stack.css';
import './controls.css';
import { useEffect, type ReactNode } from 'react';
import { MantineProvider } from '@mantine/core';
import { useNotifications } from '@mantine/notifications';
import { cssVariables, theme } from './theme.ts';
import { useLook } from './controls/look.ts';
import { lazyPart } from './late/lazy-dialog.tsx';

const nonce = document.querySelector<HTMLStyleElement>('style[nonce]')?.nonce ?? '';
// get-nonce (below Mantine's dialogs, for the scroll lock's style element) reads this global.
Object.assign(globalThis, { __webpack_nonce__: nonce });

export function UiProvider({ children }: { children: ReactNode }) {
  const { density } = useLook();
  // Style sheets read it there.
  useEffect(() => {
    document.documentElement.dataset['density'] = density;
  }, [density]);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
      // All variables are written at run time: Mantine's sheet of their defaults would be a quarter of our styles.
      deduplicateCssVariables={false}
    >
      <LateNotices />
      {children}
    </MantineProvider>
  );
}

const Notices = lazyPart(() => import('./notices.tsx'), 'Notices');

/** Messages from before they are loaded wait in their store. */
function LateNotices() {
  const { notifications } = useNotifications();
  return <Notices open={{}} isUrgent={notifications.length > 0} />;
}
