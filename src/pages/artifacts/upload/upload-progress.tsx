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

interface UploadProgressProps {
  name: string;
  transfer: Transfer;
  isPaused: boolean;
  onCancel: () => void;
  /** Undefined if the upload cannot be continued. */
  onPause: (() => void) | undefined;
  onResume: () => void;
}

export function UploadProgress(props: UploadProgressProps) {
  const { name, transfer, isPaused, onCancel, onPause, onResume } = props;
  const cancel = useRef<HTMLButtonElement>(null);
  const other = useRef<HTMLButtonElement>(null);
  // It replaces the button that started the upload, and takes over its focus if that was lost; so do Pause and Resume from
  // each other.
  useEffect(() => {
    if (isFocusLost()) (isPaused ? other : cancel).current?.focus();
  }, [isPaused]);
  const moment = Math.max(useMoment(), transfer.samples.at(-1)?.at ?? 0);
  const { sent, total } = transfer;
  const speed = speedOf(transfer, moment);
  const left = uploadTimeLeft(transfer, speed);
  const speedText = () => {
    if (isPaused) return 'Paused. The service keeps what it has for a day.';
    if (sent >= total) return 'Sent. The service is checking the file…';
    if (hasStalled(transfer, moment))
      return onPause
        ? 'Nothing has been sent for ten seconds. The upload goes on when the network is back.'
        : 'Nothing has been sent for ten seconds. Check the network.';
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
      <div className={classes.controls}>
        {isPaused ? (
          <Button variant="filled" ref={other} onClick={onResume} aria-label={`Resume the upload of ${name}`}>
            Resume
          </Button>
        ) : (
          onPause && (
            <Button onClick={onPause} aria-label={`Pause the upload of ${name}`}>
              Pause
            </Button>
          )
        )}
        <Button onClick={onCancel} ref={cancel} aria-label={`Cancel the upload of ${name}`}>
          Cancel
        </Button>
      </div>
    </div>
  );
}
