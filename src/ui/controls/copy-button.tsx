// A button that copies a text and shows whether that worked.
import { useEffect, useState } from 'react';
import { Button } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { copyText } from './copy-text.ts';
import { IconButton } from './icon-button.tsx';

interface CopyButtonProps {
  value: string;
  /** What is copied: the button's name is "Copy <what>". */
  what: string;
  /** Shows the name instead of an icon. */
  words?: boolean;
  /** Another icon, for when two copy buttons are side by side. */
  Icon?: typeof IconCopy;
  onCopied?: () => void;
}

export function CopyButton({ value, what, words = false, Icon: IdleIcon = IconCopy, onCopied }: CopyButtonProps) {
  const [state, setState] = useState<'idle' | 'done' | 'refused'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), 1600);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = async () => {
    const done = await copyText(value);
    setState(done ? 'done' : 'refused');
    if (done) onCopied?.();
  };
  const message = state === 'done' ? 'Copied' : state === 'refused' ? 'The browser blocked copying' : '';
  const Icon = state === 'done' ? IconCheck : IdleIcon;
  return (
    <>
      {words ? (
        <Button size="xs" leftSection={<Icon size={16} stroke={1.6} aria-hidden />} onClick={() => void copy()}>
          {message || `Copy ${what}`}
        </Button>
      ) : (
        <IconButton
          icon={Icon}
          iconSize={15}
          size="sm"
          label={`Copy ${what}`}
          title={message || `Copy ${what}`}
          onClick={() => void copy()}
        />
      )}
      <span role="status" className="visually-hidden">
        {message}
      </span>
    </>
  );
}

/** An id shortened in the middle; the tooltip and Copy have all of it. */
export function ShortId({ value, what = 'id' }: { value: string; what?: string }) {
  const short = value.length > 14 ? `${value.slice(0, 6)}…${value.slice(-5)}` : value;
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 2 }}>
      <span className="mono dim" title={value}>
        {short}
      </span>
      <CopyButton value={value} what={what} />
    </span>
  );
}
