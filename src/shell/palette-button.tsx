// Opens the command palette with Ctrl or Cmd K, or with a button. The palette itself is loaded after the first paint.
import { useRef, useState } from 'react';
import { IconSearch } from '@tabler/icons-react';
import { isDialogOpen } from '#/ui/dialog/unsaved.ts';
import { lazyDialog } from '#/ui/late/lazy-dialog.tsx';
import { useKeyDown } from '#/ui/controls/use-key-down.ts';
import { isApple } from '#/ui/controls/is-apple.ts';

const PaletteDialog = lazyDialog(() => import('./palette/palette-dialog.tsx'), 'PaletteDialog');

/** Its state is not in the URL: the palette leads to other pages and is nothing to return to. */
export function usePalette(showRequests: () => void) {
  const [open, setOpen] = useState(false);
  /** What is typed before the palette has loaded; undefined at other times. */
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
      // Not on top of a dialog, which would close.
      if (!event.repeat) change(!open && !isDialogOpen());
    } else if (typed.current === undefined || !isPlain) return;
    else if (key === 'Escape') change(false);
    else if (key === 'Backspace') typed.current = typed.current.slice(0, -1);
    else if (key.length === 1) typed.current += key;
    else return;
    // Browsers use the same keys for a search of their own.
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

/** On a phone, the bar below the page has a button of its own. */
export function PaletteButton({ onOpen }: { onOpen: () => void }) {
  return (
    <button
      type="button"
      className="frame-find row box small dim"
      aria-keyshortcuts="Control+K Meta+K"
      onClick={onOpen}
    >
      <IconSearch size={16} stroke={1.6} aria-hidden />
      Find anything
      <kbd aria-hidden>{isApple ? '⌘ K' : 'Ctrl K'}</kbd>
    </button>
  );
}
