// The queue of uploads: one card for each file, and what can be done with all of them.
import { useRef, type ReactNode } from 'react';
import { Button } from '@mantine/core';
import { formatCount } from '#/lib/format.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { Section } from '#/ui/page/page.tsx';
import { UploadItem } from './upload-item.tsx';
import type { UploadQueue } from './upload-queue.ts';
import { isReady, spokenSummary, type JudgedFile } from './upload-state.ts';
import { UploadStored } from './upload-stored.tsx';
import classes from './upload.module.css';

interface UploadPanelProps {
  items: readonly JudgedFile[];
  queue: UploadQueue;
  /** Id of the one that takes the focus when it appears. */
  focused: string | undefined;
  onReplace: (item: JudgedFile, files: File[]) => void;
  /** The last file was removed. */
  onEmptied: () => void;
  /** Shown above the files. */
  children: ReactNode;
}

export function UploadPanel({ items, queue, focused, onReplace, onEmptied, children }: UploadPanelProps) {
  const list = useRef<HTMLUListElement>(null);
  const ready = items.filter(isReady);
  const ended = items.filter(({ stage }) => stage.name === 'stored');
  const unsent = items.length - ended.length;
  const remove = (...ids: string[]) => {
    queue.remove(...ids);
    if (ids.length === items.length) onEmptied();
    else list.current?.focus();
  };
  return (
    <Section
      title={items.length === 1 ? 'New artifact' : 'New artifacts'}
      actions={
        items.length > 1 && (
          <>
            {ended.length > 0 && <Button onClick={() => remove(...ended.map(({ id }) => id))}>Clear uploaded</Button>}
            {unsent > 1 && (
              <Gate why={ready.length === 0 ? 'No file is ready: see what each one needs' : undefined}>
                <Button variant="filled" onClick={() => queue.start(...ready.map(({ id }) => id))}>
                  Upload all ready ({formatCount(ready.length)})
                </Button>
              </Gate>
            )}
          </>
        )
      }
    >
      <p role="status" className="visually-hidden">
        {spokenSummary(items)}
      </p>
      {children}
      <ul className={classes.list} ref={list} tabIndex={-1} aria-label="Files">
        {items.map((item) => (
          <li key={item.id}>
            {item.stage.name === 'stored' ? (
              <UploadStored
                id={item.stage.artifact.ArtifactId}
                name={item.file.name}
                version={item.fields.version.trim()}
                onRemove={() => remove(item.id)}
              />
            ) : (
              <UploadItem
                item={item}
                queue={queue}
                alone={unsent === 1}
                focused={item.id === focused}
                onReplace={(files) => onReplace(item, files)}
                onRemove={() => remove(item.id)}
              />
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}
