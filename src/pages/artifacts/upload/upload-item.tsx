// One file of the queue: its checks, its fields and its upload. File and fields are kept when an upload fails or is
// cancelled.
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { Button, type TextInputProps } from '@mantine/core';
import { Gate } from '#/ui/controls/gate.tsx';
import { TextField } from '#/ui/form/text-field.tsx';
import { IconChevronRight, IconFile, IconFileZip, IconX } from '@tabler/icons-react';
import { artifactEndpoints } from '#/contract/artifacts.ts';
import { isResumable } from '#/api/artifacts.ts';
import { useCapabilities } from '#/api/capabilities.ts';
import { refusedFields, unplacedError } from '#/api/form-rules.ts';
import { requestOf } from '#/api/request-of.ts';
import { IconButton } from '#/ui/controls/icon-button.tsx';
import { BrowseButton } from '#/ui/form/drop-area.tsx';
import { counted, formatBytes, formatCount } from '#/lib/format.ts';
import { ShowAsCurl } from '#/ui/curl/show-as-curl.tsx';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { FormError } from '#/ui/page/view.tsx';
import { CheckList } from '#/pages/artifacts/inspect/check-list.tsx';
import { refuses } from '#/pages/artifacts/inspect/finding.ts';
import { guessCommand, type ArtifactType } from '#/pages/artifacts/inspect/guess.ts';
import { InspectedContents } from '#/pages/artifacts/inspect/inspected-contents.tsx';
import { LABELS, fieldFaults, wireForm, type FieldName } from './upload-fields.ts';
import { UploadProgress } from './upload-progress.tsx';
import { isUnconfirmed, isUnderWay, type UploadQueue } from './upload-queue.ts';
import type { JudgedFile, UploadState } from './upload-state.ts';
import { useInspection } from '#/pages/artifacts/inspect/use-inspection.ts';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { focusOnMount } from '#/ui/dialog/use-focus-back.ts';
import { isFocusLost } from '#/ui/dialog/use-focus-back.ts';
import { Status } from '#/ui/controls/status.tsx';
import classes from './upload.module.css';

const TYPES: { value: ArtifactType; label: string }[] = [
  { value: 'tar.gz', label: 'tar.gz' },
  { value: 'script', label: 'Script' },
];

const BELOW: NonNullable<TextInputProps['inputWrapperOrder']> = ['label', 'input', 'description', 'error'];

const MARKS: Record<UploadState, string> = {
  Checking: 'Running',
  'Has errors': 'Failed',
  'Fields required': 'Interrupted',
  Ready: 'Succeeded',
  Queued: 'Waiting',
  Sending: 'Running',
  Paused: 'Waiting',
  Stored: 'Succeeded',
  Failed: 'Failed',
  Cancelled: 'Cancelled',
};

interface UploadItemProps {
  item: JudgedFile;
  queue: UploadQueue;
  /** It is the only file, so its checks are open. */
  alone: boolean;
  /** Takes the focus when it appears. */
  focused: boolean;
  onReplace: (files: File[]) => void;
  onRemove: () => void;
}

export function UploadItem({ item, queue, alone, focused, onReplace, onRemove }: UploadItemProps) {
  const { id, file, fields, findings, stage, state, faults } = item;
  const inspection = useInspection(file, fields.type);
  useEffect(() => queue.check(id, inspection), [queue, id, inspection]);
  const refused = findings ? refuses(findings) : false;
  const [toggled, setToggled] = useState<boolean>();
  const open = toggled ?? (alone || refused);
  const locked = isUnderWay(item) || stage.name === 'paused';
  const pausable = isResumable(file.size, useCapabilities());
  const error = stage.name === 'failed' ? stage.error : null;

  const submit = () => {
    if (findings && !refused && !locked) {
      queue.markSubmitted(id);
      if (Object.keys(fieldFaults(file, fields)).length === 0) queue.start(id);
    }
  };
  const Icon = fields.type === 'tar.gz' ? IconFileZip : IconFile;
  return (
    <form
      noValidate
      aria-label={`Upload of ${file.name}`}
      className={classes.item}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className={classes.file}>
        <Icon size={20} stroke={1.6} aria-hidden />
        <span className={classes.name}>
          <strong>{file.name}</strong>
          <span className="dim tabular" title={`${formatCount(file.size)} bytes`}>
            {formatBytes(file.size)}
          </span>
        </span>
        <StateMark
          state={MARKS[state]}
          label={state === 'Fields required' ? `${counted(faults, 'field')} required` : state}
        />
        {!locked && (
          <IconButton icon={IconX} iconSize={18} label={`Remove ${file.name}`} title="Remove" onClick={onRemove} />
        )}
      </div>
      <ItemFields item={item} queue={queue} error={error} focused={focused} />
      <ShowAsCurl
        request={{ ...requestOf(artifactEndpoints.upload, { form: wireForm(file, fields) }), file: file.name }}
      />
      <FormError error={unplacedError(error, LABELS)} />
      <Status className="dim small">
        {stage.name === 'cancelled' && 'Cancelled. Nothing was stored; the form is as it was.'}
      </Status>
      {stage.name === 'sending' || stage.name === 'paused' ? (
        <UploadProgress
          name={file.name}
          transfer={stage.transfer}
          isPaused={stage.name === 'paused'}
          onCancel={() => queue.cancel(id)}
          onPause={pausable ? () => queue.pause(id) : undefined}
          onResume={() => queue.start(id)}
        />
      ) : (
        <div className={classes.buttons}>
          <button type="button" aria-expanded={open} className={classes.toggle} onClick={() => setToggled(!open)}>
            <IconChevronRight className="turns" size={16} stroke={1.6} aria-hidden />
            {checksText(item)}
          </button>
          {open && (
            <div className={classes.checks}>
              <CheckList findings={findings} sha256={item.checked?.sha256} />
              {inspection && <InspectedContents inspection={inspection} />}
            </div>
          )}
          {stage.name === 'waiting' ? (
            <>
              <span className="dim">Starts when an earlier upload ends.</span>
              <Button variant="default" onClick={() => queue.cancel(id)}>
                Cancel
              </Button>
            </>
          ) : (
            <Send item={item} refused={refused} alone={alone}>
              <BrowseButton onChoose={onReplace} label={`Another file for ${file.name}`}>
                Choose another file
              </BrowseButton>
            </Send>
          )}
        </div>
      )}
    </form>
  );
}

function Send(props: { item: JudgedFile; refused: boolean; alone: boolean; children: ReactNode }) {
  const { refused, alone, children } = props;
  const { file, findings, stage } = props.item;
  const verb = stage.name === 'failed' ? 'Retry' : 'Upload';
  const button = useRef<HTMLButtonElement>(null);
  const ended = stage.name === 'failed' || stage.name === 'cancelled';
  // The Cancel button had the focus, and was removed.
  useEffect(() => {
    if (ended && isFocusLost()) button.current?.focus();
  }, [ended]);
  const why = refused
    ? 'The file has errors: see the list of checks'
    : findings
      ? undefined
      : 'The file is still being checked';
  return (
    <>
      {children}
      {!isUnconfirmed(props.item) && (
        <Gate why={why}>
          <Button type="submit" variant={alone ? 'filled' : 'default'} ref={button} aria-label={`${verb} ${file.name}`}>
            {verb}
          </Button>
        </Gate>
      )}
    </>
  );
}

/** A summary of the checks, for when they are collapsed. */
function checksText({ findings }: JudgedFile): string {
  if (!findings) return 'Checking…';
  const faults = (['error', 'warning'] as const).flatMap((level) => {
    const { length } = findings.filter((each) => each.level === level);
    return length > 0 ? [counted(length, level)] : [];
  });
  return `Checks: ${faults.join(', ') || 'all passed'}`;
}

function ItemFields(props: Pick<UploadItemProps, 'item' | 'queue' | 'focused'> & { error: Error | null }) {
  const { item, queue, error, focused } = props;
  const { id, file, fields, isSubmitted, stage } = item;
  const locked = isUnderWay(item) || stage.name === 'paused';
  const faults = isSubmitted ? fieldFaults(file, fields) : {};
  const serverErrors = refusedFields(error, LABELS);
  const field = (name: FieldName) => ({
    label: LABELS[name],
    value: fields[name],
    error: faults[name] ?? serverErrors[name],
    readOnly: locked,
    required: true,
    // Descriptions are below the inputs, so that all inputs align.
    inputWrapperOrder: BELOW,
    autoComplete: 'off',
    spellCheck: false,
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      queue.fill(id, { [name]: currentTarget.value }),
  });
  return (
    <fieldset className={classes.fields}>
      <legend className="visually-hidden">Fields</legend>
      <div className={classes.type}>
        <span id={`${id}-type`}>Type</span>
        <SegmentedControl
          aria-labelledby={`${id}-type`}
          data={TYPES}
          readOnly={locked}
          value={fields.type}
          onChange={(type) => queue.fill(id, { type })}
        />
      </div>
      <TextField
        {...field('version')}
        placeholder="1.2.0"
        className={classes.version}
        {...(focused ? { ref: focusOnMount } : {})}
      />
      {fields.type === 'script' && (
        <>
          <TextField
            {...field('destination')}
            description="Absolute path. Created if missing."
            placeholder="/opt/myapp"
          />
          <TextField
            {...field('command')}
            description="Runs in that folder after the file is made executable."
            placeholder={guessCommand(file.name)}
            classNames={{ input: 'mono' }}
          />
        </>
      )}
    </fieldset>
  );
}
