// Builds a tar.gz of a folder or several files in three steps: the files, the update.sh, and a preview of the result, which is
// uploaded from there.
import { useRef, useState, type ComponentProps, type DragEvent } from 'react';
import { flushSync } from 'react-dom';
import { Button } from '@mantine/core';
import type { Artifact } from '#/contract/artifacts.ts';
import { useArtifactLimit } from '#/pages/artifacts/inspect/use-artifact-limit.ts';
import { paths } from '#/paths.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { LeaveGuard } from '#/ui/dialog/leave-guard.tsx';
import { FormError } from '#/ui/page/view.tsx';
import { BuilderFiles } from './builder-files.tsx';
import { BuilderPreview, type OnBuilt } from './builder-preview.tsx';
import { BuilderScript } from './builder-script.tsx';
import { droppedEntries, fromField, readEntries, type Picked } from './picked-files.ts';
import { findPrograms, useBuilder } from './use-builder.ts';
import classes from './builder.module.css';

const STEPS = ['Files', 'update.sh', 'Preview'] as const;

interface BuilderDialogProps {
  /** Entries that were dropped on the page and opened this dialog. */
  dropped: FileSystemEntry[] | undefined;
  artifacts: readonly Artifact[];
  /** Why nothing may be uploaded. */
  why: string | undefined;
  conflictsOf: ComponentProps<typeof BuilderPreview>['conflictsOf'];
  onBuilt: OnBuilt;
  onClose: () => void;
}

export function BuilderDialog({
  dropped,
  artifacts,
  why: noUpload,
  conflictsOf,
  onBuilt,
  onClose,
}: BuilderDialogProps) {
  const builder = useBuilder(artifacts, useArtifactLimit());
  const [step, setStep] = useState(0);
  const [reading, setReading] = useState(false);
  const [built, setBuilt] = useState(false);
  const [refusal, setRefusal] = useState<Error | null>(null);

  const take = async (read: () => Picked | Promise<Picked>) => {
    setReading(true);
    setRefusal(null);
    try {
      const picked = await read();
      if (picked.files.size === 0) throw new Error('There are no files in it.');
      builder.take(picked, await findPrograms(picked));
      setStep(0);
    } catch (error) {
      setRefusal(error instanceof Error ? error : new Error('The files cannot be read.'));
    } finally {
      setReading(false);
    }
  };
  const finish: OnBuilt = (...archive) => {
    // Nothing can be lost now, so closing does not ask.
    flushSync(() => setBuilt(true));
    onBuilt(...archive);
  };
  const begun = useRef<FileSystemEntry[]>(undefined);
  const begin = (node: HTMLElement | null) => {
    if (!node || !dropped || begun.current === dropped) return;
    begun.current = dropped;
    void take(() => readEntries(dropped));
  };
  // Drops beside this dialog go to the page behind it.
  const over = (event: DragEvent) => {
    event.preventDefault();
    event.stopPropagation();
  };
  const drop = (event: DragEvent) => {
    over(event);
    const files = [...event.dataTransfer.files];
    const entries = droppedEntries(event.dataTransfer);
    void take(() => (entries ? readEntries(entries) : fromField(files)));
  };

  const { faults, picked } = builder;
  const why = [
    reading
      ? 'The files are being read'
      : !picked
        ? 'Choose files first'
        : builder.files.length === 0
          ? 'All files are left out'
          : (faults.name ?? faults.version),
    faults.target ?? (builder.own || builder.script.trim() !== '' ? undefined : 'update.sh is empty'),
  ];
  return (
    <BaseDialog
      why={noUpload}
      centered={false}
      onClose={onClose}
      size={820}
      title="Build an artifact"
      closeOnClickOutside={!picked}
    >
      <LeaveGuard
        active={picked !== undefined && !built}
        title="Leave without building the archive?"
        confirmLabel="Leave"
        open={paths.signIn()}
        dialog="build"
      >
        The selected files{builder.isEdited && ', your edited update.sh'} and the values you entered will be lost.
      </LeaveGuard>
      <div ref={begin} className={classes.builder} onDragEnter={over} onDragOver={over} onDrop={drop}>
        <ol className={classes.steps} aria-label="Steps">
          {STEPS.map((name, index) => (
            <li key={name} aria-current={index === step ? 'step' : undefined} data-done={index < step || undefined}>
              <span className="tabular">{index + 1}</span> {name}
            </li>
          ))}
        </ol>
        <FormError error={refusal} />
        {step === 0 && (
          <BuilderFiles builder={builder} reading={reading} onChoose={(files) => void take(() => fromField(files))} />
        )}
        {step === 1 && <BuilderScript builder={builder} />}
        {step === 2 && (
          <BuilderPreview builder={builder} conflictsOf={conflictsOf} onBuilt={finish} onBack={() => setStep(1)} />
        )}
        {step < 2 && picked && (
          <div className="actions">
            {step > 0 && <Button onClick={() => setStep(step - 1)}>Back</Button>}
            <Gate why={why[step]}>
              <Button variant="filled" onClick={() => setStep(step + 1)}>
                {step === 0 ? 'Next: update.sh' : 'Next: preview'}
              </Button>
            </Gate>
          </div>
        )}
      </div>
    </BaseDialog>
  );
}
