// Mantine with our theme, the style sheets of the components in use, and the CSP nonce for the styles it injects.
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
// get-nonce, which the scroll lock of Mantine's dialogs uses, reads this global.
Object.assign(globalThis, { __webpack_nonce__: nonce });

export function UiProvider({ children }: { children: ReactNode }) {
  const { density } = useLook();
  useEffect(() => {
    document.documentElement.dataset['density'] = density;
  }, [density]);
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
      // Writes all variables at run time, because the style sheet of their defaults would be a quarter of our CSS.
      deduplicateCssVariables={false}
    >
      <LateNotices />
      {children}
    </MantineProvider>
  );
}

const Notices = lazyPart(() => import('./notices.tsx'), 'Notices');

/** Notifications wait in their store until this has loaded. */
function LateNotices() {
  const { notifications } = useNotifications();
  return <Notices open={{}} isUrgent={notifications.length > 0} />;
}
