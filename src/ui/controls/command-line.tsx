// A shell command with a copy button.
import { CopyButton } from './copy-button.tsx';
import classes from './command-line.module.css';

export function CommandLine({
  label,
  command,
  shown,
  onCopied,
}: {
  label: string;
  command: string;
  shown?: string | undefined;
  onCopied?: (() => void) | undefined;
}) {
  return (
    <div className={classes.command}>
      <div className={classes.commandHead}>
        <span>{label}</span>
        <CopyButton words value={command} what="command" {...(onCopied ? { onCopied } : {})} />
      </div>
      <pre tabIndex={0} aria-label={label}>
        {shown ?? command}
      </pre>
    </div>
  );
}
