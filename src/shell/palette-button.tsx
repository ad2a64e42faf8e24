// The way to the command palette: Ctrl or Cmd K anywhere, or a button. What it opens is fetched after the first picture.
import { useRef, useState } from 'react';
import { IconSearch } from '@tabler/icons-react';
import { isDialogOpen } from '#/ui/dialog/unsaved.ts';
import { lazyDialog } from '#/ui/late/lazy-dialog.tsx';
import { useKeyDown } from '#/ui/controls/use-key-down.ts';

const PaletteDialog = lazyDialog(() => import('./palette/palette-dialog.tsx'), 'PaletteDialog');

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Opened and closed by itself, not by the URL: it is a way to other pages, and nothing to return to. */
export function usePalette(showRequests: () => void) {
  const [open, setOpen] = useState(false);
  /** What is typed before its field is there; undefined at other times. */
  const typed = useRef<string>(undefined);
  const change = (to: boolean) => {
    typed.current = to ? '' : undefined;
    setOpen(to);
  };
  useKeyDown((event) => {
    const { key } = event;
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    const isOurs = event.ctrlKey !== event.metaKey && !event.altKey && !event.shiftKey && key.toLowerCase() === 'k';
    if (isOurs) {
      // No dialog is closed by accident.
      if (!event.repeat) change(!open && !isDialogOpen());
    } else if (typed.current === undefined || !isPlain) return;
    else if (key === 'Escape') change(false);
    else if (key === 'Backspace') typed.current = typed.current.slice(0, -1);
    else if (key.length === 1) typed.current += key;
    else return;
    // Browsers have a search of their own under the same keys.
    event.preventDefault();
  });
  const takeTyped = () => {
    const text = typed.current ?? '';
    typed.current = undefined;
    return text;
  };
  return {
    open: () => change(true),
    dialog: <PaletteDialog open={open && { onClose: () => change(false), takeTyped, showRequests }} />,
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
