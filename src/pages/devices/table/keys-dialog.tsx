// The keys of the device table, opened with "?".
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import classes from './keys-dialog.module.css';

const KEYS: [keys: string[], does: string][] = [
  [['j'], 'Next row'],
  [['k'], 'Previous row'],
  [['Enter'], 'Open the device'],
  [['x'], 'Select or clear the row'],
  [['Shift', 'click'], 'Select a range'],
  [['/'], 'Search'],
  [['?'], 'Show these keys'],
];

export function KeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <BaseDialog onClose={onClose} title="Keys of this table" size="sm" centered={false}>
      <dl className={classes.keys}>
        {KEYS.map(([keys, does]) => (
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
    </BaseDialog>
  );
}
