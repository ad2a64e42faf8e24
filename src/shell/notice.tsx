// A notice below the page about something that concerns all pages. It covers nothing.
import type { ReactNode } from 'react';
import type { TablerIcon } from '@tabler/icons-react';
import classes from './shell.module.css';

interface NoticeProps {
  icon: TablerIcon;
  children: ReactNode;
  action?: { label: string; onClick: () => void };
  /** Hidden if the page itself already says so. */
  isAboutBuild?: boolean;
}

export function Notice({ icon: Icon, children, action, isAboutBuild }: NoticeProps) {
  return (
    <div className={classes.notice} data-build={isAboutBuild}>
      <Icon size={18} stroke={1.6} aria-hidden />
      <span>{children}</span>
      {action && (
        <button type="button" className="frame-button" onClick={action.onClick}>
          {action.label}
        </button>
      )}
    </div>
  );
}
