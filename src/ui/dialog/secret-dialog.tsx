// A secret that is shown once. Escape and a click outside do not close it, Done is disabled until the secret has been
// copied or saved, and leaving before that asks.
import { useId, useState, type ReactNode } from 'react';
import { Button, Group, Stack } from '@mantine/core';
import { IconDownload, IconEye, IconEyeOff } from '@tabler/icons-react';
import { CopyButton } from '#/ui/controls/copy-button.tsx';
import { saveFile } from '#/lib/save-file.ts';
import { BaseDialog } from './base-dialog.tsx';
import { useLeaveBlock } from './leave-block.tsx';
import { useUnsaved } from './unsaved.ts';
import classes from './secret-dialog.module.css';

interface SecretDialogProps {
  title: string;
  /** What the buttons call the secret: "device key". */
  what: string;
  secret: string;
  /** Name of the file that Download saves. */
  fileName: string;
  /** Explanation above the secret. */
  children: ReactNode;
  /** Commands to paste that contain the secret, readable once it is revealed; `onTaken` must be called when one is copied. */
  commands?: (onTaken: () => void, revealed: boolean) => ReactNode;
  /** Why it need not be copied, as a sentence: it is in use already, or was sent. */
  noNeed?: string | undefined;
  /** Once the secret is in use: shown instead of asking for it to be saved. It must be told when its buttons leave the dialog. */
  success?: ((leave: () => void) => ReactNode) | undefined;
  onDone: () => void;
}

export function SecretDialog(props: SecretDialogProps) {
  const { title, what, secret, fileName, children, commands, noNeed, success, onDone } = props;
  const reasonId = useId();
  const [shown, setShown] = useState(false);
  const [copied, setTaken] = useState(false);
  const [closed, setClosed] = useState(false);
  const taken = copied || noNeed !== undefined || success !== undefined;
  // The secret is stored nowhere else.
  const asked = useLeaveBlock(() => !taken);
  useUnsaved(!taken);
  const take = () => setTaken(true);
  const short = what.slice(what.lastIndexOf(' ') + 1);
  // The next page may still be loading.
  if (closed) return null;
  const content = (
    <>
      {commands?.(take, shown)}
      <div className={classes.secret}>
        <code aria-label={shown ? what : `${what}, hidden`}>
          {shown ? secret : '•'.repeat(Math.min(32, secret.length))}
        </code>
        <Group gap={6}>
          <Button
            size="xs"
            leftSection={shown ? <IconEyeOff size={16} aria-hidden /> : <IconEye size={16} aria-hidden />}
            onClick={() => setShown(!shown)}
          >
            {shown ? 'Hide' : 'Reveal'}
          </Button>
          <CopyButton words value={secret} what={what} onCopied={take} />
          <Button
            size="xs"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => {
              saveFile(fileName, `${secret}\n`, 'text/plain');
              take();
            }}
          >
            Download
          </Button>
        </Group>
      </div>
    </>
  );
  if (success)
    return (
      <BaseDialog title={title} size="lg">
        <Stack gap="md">
          {success(() => setClosed(true))}
          <details>
            <summary className="small dim">Show the {what} (last chance)</summary>
            <Stack gap="md" pt="sm">
              {content}
            </Stack>
          </details>
        </Stack>
      </BaseDialog>
    );
  return (
    <BaseDialog title={title} size="lg">
      <Stack gap="md">
        <div>{children}</div>
        {asked && !taken && (
          <div role="alert" className={classes.leaving}>
            <span>Leaving now loses the {short}: it cannot be shown again.</span>
            <Group gap="xs">
              <Button size="xs" onClick={asked.stay}>
                Stay
              </Button>
              <Button variant="filled" size="xs" color="red" onClick={asked.leave}>
                Leave without the {short}
              </Button>
            </Group>
          </div>
        )}
        {content}
        <Group justify="flex-end" gap="sm" className="dialog-foot">
          <span id={reasonId} className="small dim">
            {copied ? 'Copied or saved.' : (noNeed ?? `Copy or download the ${what} first: it is shown only once.`)}
          </span>
          <Button
            variant="filled"
            disabled={!taken}
            aria-describedby={reasonId}
            onClick={() => {
              setClosed(true);
              onDone();
            }}
          >
            Done
          </Button>
        </Group>
      </Stack>
    </BaseDialog>
  );
}
