// A sheet at the lower edge of a phone, in reach of the thumb.
import '#/ui/dialog/modal.css';
import '@mantine/core/styles/Drawer.css';
import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './sheet.module.css';

interface SheetProps {
  title: string;
  onClose: () => void;
  /** Stays in view below the content. */
  foot: ReactNode;
  children: ReactNode;
}

export function Sheet({ title, onClose, foot, children }: SheetProps) {
  return (
    <Drawer
      opened
      position="bottom"
      size="auto"
      title={title}
      onClose={onClose}
      // Otherwise its <header> would be a second banner beside the top bar.
      attributes={{ header: { role: 'none' } }}
      classNames={{ content: classes.content, header: classes.header, title: classes.title, body: classes.body }}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <div className={classes.rest}>{children}</div>
      <div className={classes.foot}>{foot}</div>
    </Drawer>
  );
}
