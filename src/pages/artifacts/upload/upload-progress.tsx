// The running upload: bytes, percent, speed, time left, and Cancel.
import { useEffect, useRef, useState } from 'react';
import { Button } from '@mantine/core';
import { formatBytes, formatDuration } from '#/lib/format.ts';
import { hasStalled, percentOf, speedOf, uploadTimeLeft, type Transfer } from './transfer.ts';
import { isFocusLost } from '#/ui/dialog/use-focus-back.ts';
import classes from './upload.module.css';

/** The time since the page was opened, updated even if no progress is reported. */
function useMoment(): number {
  const [moment, setMoment] = useState(() => performance.now());
  useEffect(() => {
    const timer = setInterval(() => setMoment(performance.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return moment;
}

export function UploadProgress(props: { name: string; transfer: Transfer; onCancel: () => void }) {
  const { name, transfer, onCancel } = props;
  const cancel = useRef<HTMLButtonElement>(null);
  // It replaces the button that started the upload, and takes over its focus if that was lost.
  useEffect(() => {
    if (isFocusLost()) cancel.current?.focus();
  }, []);
  const moment = Math.max(useMoment(), transfer.samples.at(-1)?.at ?? 0);
  const { sent, total } = transfer;
  const speed = speedOf(transfer, moment);
  const left = uploadTimeLeft(transfer, speed);
  const speedText = () => {
    if (sent >= total) return 'Sent. The service is checking the file…';
    if (hasStalled(transfer, moment)) return 'Nothing has been sent for ten seconds. Check the network.';
    const parts = [
      speed !== undefined && `${formatBytes(speed)}/s`,
      left !== undefined && `${formatDuration(left)} left`,
    ];
    return parts.filter(Boolean).join(' · ');
  };
  return (
    <div className={classes.progress}>
      <progress aria-label={`Upload of ${name}`} max={total} value={sent} />
      <span className="tabular">
        {percentOf(transfer)} % · {formatBytes(Math.min(sent, total))} of {formatBytes(total)}
      </span>
      <span className={`${classes.speed} tabular dim`}>{speedText()}</span>
      <Button onClick={onCancel} ref={cancel} aria-label={`Cancel the upload of ${name}`}>
        Cancel
      </Button>
    </div>
  );
}
