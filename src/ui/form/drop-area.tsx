// Files that are dropped anywhere on the page or chosen with Browse.
import { useLayoutEffect, useRef, useState, type ReactNode } from 'react';
import { Button } from '@mantine/core';
import { IconFolderOpen, IconUpload } from '@tabler/icons-react';
import { focusOnMount } from '#/ui/dialog/use-focus-back.ts';
import classes from './drop-area.module.css';
import { Gate } from '#/ui/controls/gate.tsx';

const carriesFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;

/** Calls `onDrop` with files that are dropped on the window, unless busy. Returns whether files are being dragged over it. */
export function useWindowDrop(busy: boolean, onDrop: (files: File[], transfer: DataTransfer | null) => void): boolean {
  const [over, setOver] = useState(false);
  const latest = useRef({ busy, onDrop });
  useLayoutEffect(() => {
    latest.current = { busy, onDrop };
  });
  // Before the first paint: a file that is dropped as soon as the page appears must not replace it.
  useLayoutEffect(() => {
    // Entering a child fires before leaving its parent, so only the balance tells when the pointer leaves the window.
    let depth = 0;
    const set = (value: number) => {
      depth = value;
      setOver(depth > 0);
    };
    const enter = (event: DragEvent) => carriesFiles(event) && set(depth + 1);
    const leave = (event: DragEvent) => carriesFiles(event) && set(Math.max(0, depth - 1));
    // Otherwise the browser would open the file in place of the page.
    const allow = (event: DragEvent) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      if (latest.current.busy && event.dataTransfer) event.dataTransfer.dropEffect = 'none';
    };
    const drop = (event: DragEvent) => {
      if (!carriesFiles(event)) return;
      event.preventDefault();
      set(0);
      if (!latest.current.busy) latest.current.onDrop([...(event.dataTransfer?.files ?? [])], event.dataTransfer);
    };
    const handlers = { dragenter: enter, dragleave: leave, dragover: allow, drop } as const;
    for (const [type, handler] of Object.entries(handlers)) window.addEventListener(type, handler as EventListener);
    return () => {
      for (const [type, handler] of Object.entries(handlers))
        window.removeEventListener(type, handler as EventListener);
    };
  }, []);
  return over;
}

/** Covers the page to show that a drop will be accepted. */
export function DropVeil({ over, children }: { over: boolean; children: ReactNode }) {
  return over ? (
    <div className={classes.veil} aria-hidden>
      <span>{children}</span>
    </div>
  ) : null;
}

interface BrowseButtonProps {
  onChoose: (files: File[]) => void;
  children: ReactNode;
  /** The accessible name of the file input. */
  label: string;
  /** The file types that the system's dialog offers. */
  accept?: string;
  multiple?: boolean;
  /** Chooses a folder; each file keeps its path in it. */
  folder?: boolean;
  variant?: 'filled' | 'default';
  /** Takes the focus on mount, because what it replaces had it. */
  focused?: boolean;
  /** Why no file may be chosen. */
  why?: string | undefined;
}

/** A button that opens the system's file dialog. */
export function BrowseButton({
  onChoose,
  children,
  label,
  accept,
  multiple = false,
  folder = false,
  variant = 'default',
  focused = false,
  why,
}: BrowseButtonProps) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <Gate why={why}>
        <Button
          variant={variant}
          leftSection={<IconFolderOpen size={18} stroke={1.6} aria-hidden />}
          onClick={() => input.current?.click()}
          {...(focused ? { ref: focusOnMount } : {})}
        >
          {children}
        </Button>
      </Gate>
      <input
        ref={(node) => {
          input.current = node;
          // React does not know this attribute, but all browsers do.
          node?.toggleAttribute('webkitdirectory', folder);
        }}
        type="file"
        hidden
        disabled={why !== undefined}
        aria-label={label}
        accept={accept}
        multiple={multiple}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])];
          // Allows choosing the same file again after it has changed on disk.
          currentTarget.value = '';
          if (files.length > 0) onChoose(files);
        }}
      />
    </>
  );
}

/** The strip at the top of the page that names what can be dropped. */
export function DropStrip({ children, ...browse }: Omit<BrowseButtonProps, 'children'> & { children: ReactNode }) {
  return (
    <div className={classes.strip}>
      <IconUpload size={22} stroke={1.6} aria-hidden />
      <p>{children}</p>
      <BrowseButton {...browse}>Browse files</BrowseButton>
    </div>
  );
}
