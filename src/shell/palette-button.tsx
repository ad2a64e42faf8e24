// The way to the command palette: Ctrl or Cmd K anywhere, or a button. What it opens is fetched after the first picture.
import { useState } from 'react';
import { IconSearch } from '@tabler/icons-react';
import { isDialogOpen } from '#/ui/dialog/unsaved.ts';
import { lazyDialog } from '#/ui/late/lazy-dialog.tsx';
import { useKeyDown } from '#/ui/controls/use-key-down.ts';

const PaletteDialog = lazyDialog(() => import('./palette/palette-dialog.tsx'), 'PaletteDialog');

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Opened and closed by itself, not by the URL: it is a way to other pages, and nothing to return to. */
export function usePalette(showRequests: () => void) {
  const [open, setOpen] = useState(false);
  useKeyDown((event) => {
    const isWithKey = event.ctrlKey !== event.metaKey && !event.altKey && !event.shiftKey;
    if (!isWithKey || event.key.toLowerCase() !== 'k') return;
    // Browsers have a search of their own under these keys.
    event.preventDefault();
    // No dialog is closed by accident.
    if (!event.repeat) setOpen((was) => !was && !isDialogOpen());
  });
  return {
    open: () => setOpen(true),
    dialog: <PaletteDialog open={open && { onClose: () => setOpen(false), showRequests }} />,
  };
}

/** `words`: with its name and keys, where there is room. */
export function PaletteButton({ onOpen, words = false }: { onOpen: () => void; words?: boolean }) {
  const icon = <IconSearch size={words ? 16 : 20} stroke={1.6} aria-hidden />;
  return words ? (
    <button
      type="button"
      className="frame-find row box small dim"
      aria-keyshortcuts="Control+K Meta+K"
      onClick={onOpen}
    >
      {icon}
      Find anything
      <kbd aria-hidden>{isApple ? '⌘ K' : 'Ctrl K'}</kbd>
    </button>
  ) : (
    <button type="button" className="bare" aria-label="Find anything" onClick={onOpen}>
      {icon}
    </button>
  );
}
