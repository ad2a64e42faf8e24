// The keyboard shortcuts of the current page and of all pages, opened with "?".
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { useShortcutsHere, type Shortcut } from '#/ui/controls/shortcuts.ts';
import { isApple } from '#/ui/controls/is-apple.ts';
import classes from './keys-dialog.module.css';

const EVERYWHERE: readonly Shortcut[] = [
  [[isApple ? '⌘' : 'Ctrl', 'K'], 'Find anything'],
  [['Esc'], 'Close'],
  [['?'], 'Show these keys'],
];

export function KeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <BaseDialog onClose={onClose} title="Keyboard shortcuts" size="sm" centered={false}>
      {[...useShortcutsHere(), { name: 'Everywhere', shortcuts: EVERYWHERE }].map(({ name, shortcuts }) => (
        <section key={name} aria-label={name} className={classes.section}>
          <h3>{name}</h3>
          <dl className={classes.keys}>
            {shortcuts.map(([keys, does]) => (
              <div key={does}>
                <dt>
                  {keys.map((key) => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </BaseDialog>
  );
}
