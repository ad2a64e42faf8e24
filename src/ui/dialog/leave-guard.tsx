// Asks before a page is left, or its window closed, on which something runs that leaving would end.
import { useEffect, type ReactNode } from 'react';
import { optional, urlSchema } from '#/ui/url/url-schema.ts';
import { Question } from './confirm-dialog.tsx';
import { useLeaveBlock } from './leave-block.tsx';
import { useUnsaved } from './unsaved.ts';

interface LeaveGuardProps {
  active: boolean;
  title: string;
  confirmLabel: string;
  /** A path that is never blocked: a page cannot stay open once signed out. */
  open: string;
  /** The dialog of the page, by its name in the URL, that it is about: closing that is leaving as well. */
  dialog?: string;
  /** What leaving ends. */
  children: ReactNode;
}

const dialogUrl = urlSchema({ dialog: optional });

export function LeaveGuard({ active, title, confirmLabel, open, dialog, children }: LeaveGuardProps) {
  // Dialogs and searches live on the page's own path.
  const asked = useLeaveBlock(
    ({ currentLocation, nextLocation }) =>
      active &&
      nextLocation.pathname !== open &&
      (nextLocation.pathname !== currentLocation.pathname ||
        (dialog !== undefined && dialogUrl.read(nextLocation.search).dialog !== dialog)),
  );
  useUnsaved(active);
  // It ended while the question was asked: stay, so that the outcome is seen.
  useEffect(() => {
    if (!active) asked?.stay();
  }, [active, asked]);
  // Drawn only then, so that it is above a dialog that is open.
  if (!active || !asked) return null;
  return (
    <Question onClose={asked.stay} title={title} confirmLabel={confirmLabel} cancelLabel="Stay" onConfirm={asked.leave}>
      {children}
    </Question>
  );
}
