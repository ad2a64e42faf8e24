// Asks before leaving a page, or closing its window, while something runs on it that would end.
import { useEffect, type ReactNode } from 'react';
import { optional, urlSchema } from '#/ui/url/url-schema.ts';
import { Question } from './confirm-dialog.tsx';
import { useLeaveBlock } from './leave-block.tsx';
import { useUnsaved } from './unsaved.ts';

interface LeaveGuardProps {
  active: boolean;
  title: string;
  confirmLabel: string;
  /** A path that is never blocked: after signing out, the page cannot stay open. */
  open: string;
  /** The name of a dialog in the URL, if the work runs in it: closing it counts as leaving. */
  dialog?: string;
  /** What leaving ends. */
  children: ReactNode;
}

const dialogUrl = urlSchema({ dialog: optional });

export function LeaveGuard({ active, title, confirmLabel, open, dialog, children }: LeaveGuardProps) {
  // Dialogs and searches keep the path.
  const asked = useLeaveBlock(
    ({ currentLocation, nextLocation }) =>
      active &&
      nextLocation.pathname !== open &&
      (nextLocation.pathname !== currentLocation.pathname ||
        (dialog !== undefined && dialogUrl.read(nextLocation.search).dialog !== dialog)),
  );
  useUnsaved(active);
  // The work ended while the question was open: stay, so that the outcome is seen.
  useEffect(() => {
    if (!active) asked?.stay();
  }, [active, asked]);
  // Mounted only now, so that it is on top of an open dialog.
  if (!active || !asked) return null;
  return (
    <Question onClose={asked.stay} title={title} confirmLabel={confirmLabel} cancelLabel="Stay" onConfirm={asked.leave}>
      {children}
    </Question>
  );
}
