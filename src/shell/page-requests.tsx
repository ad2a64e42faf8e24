// The way to what the page at hand has read, as commands for curl: a button in the header of every page.
import { Suspense, lazy, useState } from 'react';
import { ActionIcon } from '@mantine/core';
import { IconTerminal2 } from '@tabler/icons-react';
import { useFocusBack } from '#/ui/dialog/use-focus-back.ts';
import { usePreload } from '#/ui/late/use-preload.ts';

const loadDialog = () => import('./page-requests-dialog.tsx');
const PageRequestsDialog = lazy(async () => ({ default: (await loadDialog()).PageRequestsDialog }));

export function usePageRequests() {
  const [isOpen, setOpen] = useState(false);
  useFocusBack(isOpen);
  const here = usePreload(loadDialog, isOpen);
  const open = () => setOpen(true);
  return {
    open,
    button: (
      <ActionIcon variant="subtle" color="gray" size={36} aria-label="Show as curl" title="Show as curl" onClick={open}>
        <IconTerminal2 size={18} stroke={1.6} aria-hidden />
      </ActionIcon>
    ),
    dialog:
      isOpen && here ? (
        <Suspense>
          <PageRequestsDialog onClose={() => setOpen(false)} />
        </Suspense>
      ) : null,
  };
}
