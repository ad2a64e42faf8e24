// The form of one upload: the file with what was found out about it, its fields, and then the upload itself. Whatever
// happens on the way (a cut network, a refusal, Cancel), file and fields stay as they are.
import { useState } from 'react';
import { Button, SegmentedControl, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconFile, IconFileZip } from '@tabler/icons-react';
import { artifactForm } from '#/contract/artifacts.ts';
import type { ArtifactForm } from '#/contract/artifacts.ts';
import { checkedBy, refusedFields, unplacedError } from '#/api/form-rules.ts';
import { formatBytes, formatCount } from '#/ui/format.ts';
import { Section } from '#/ui/page.tsx';
import { FormError } from '#/ui/view.tsx';
import { CheckList } from './check-list.tsx';
import { BrowseButton } from '#/ui/drop-area.tsx';
import { refuses } from './finding.ts';
import type { Finding } from './finding.ts';
import { guessCommand, guessVersion } from './guess.ts';
import type { ArtifactType } from './guess.ts';
import type { ChosenFile } from './inspect-file.ts';
import { UploadProgress } from './upload-progress.tsx';
import { useInspection } from './use-inspection.ts';
import type { Upload } from './use-upload.ts';
import classes from './upload-panel.module.css';

const LABELS = { version: 'Version', destination: 'Destination folder', command: 'Command' };

const TYPES: { value: ArtifactType; label: string }[] = [
  { value: 'tar.gz', label: 'tar.gz' },
  { value: 'script', label: 'Script' },
];

const focusOnMount = (node: HTMLElement | null) => node?.focus();

interface UploadPanelProps {
  file: ChosenFile;
  upload: Upload;
  /** What else speaks for or against this upload: room in the storage, an artifact of the same name and version. */
  furtherFindings: (file: ChosenFile, version: string) => Finding[];
  onChoose: (files: File[]) => void;
  onDiscard: () => void;
}

interface Fields {
  type: ArtifactType;
  version: string;
  destination: string;
  command: string;
}

/** The form on the wire: bytes as `size`, and what belongs to a script only with one. */
const wireForm = ({ size }: ChosenFile, { type, version, destination, command }: Fields): ArtifactForm => ({
  size: String(size),
  type,
  version: version.trim(),
  ...(type === 'script' && { destination: destination.trim(), command }),
});

const fieldsFor = ({ name, type }: ChosenFile): Fields => ({
  type,
  version: guessVersion(name),
  destination: '',
  command: guessCommand(name),
});

export function UploadPanel({ file, upload, furtherFindings, onChoose, onDiscard }: UploadPanelProps) {
  const form = useForm<Fields>({
    initialValues: fieldsFor(file),
    validate: (fields) => checkedBy(artifactForm, LABELS)(wireForm(file, fields)),
  });
  // Another file: its suggestions, except where a person has written something.
  const [suggestedFor, setSuggestedFor] = useState(file);
  if (suggestedFor !== file) {
    const before = fieldsFor(suggestedFor);
    const next = fieldsFor(file);
    setSuggestedFor(file);
    const keep = (field: 'version' | 'command') => form.values[field] !== '' && form.values[field] !== before[field];
    form.setValues({
      type: next.type,
      ...(!keep('version') && { version: next.version }),
      ...(!keep('command') && { command: next.command }),
    });
  }

  const { type, version } = form.values;
  const inspection = useInspection(file, type);
  const findings = inspection && [...inspection.findings, ...furtherFindings(file, version.trim())];
  const refused = findings ? refuses(findings) : false;
  const sending = upload.transfer !== undefined;
  const serverSaid = refusedFields(upload.error, LABELS);
  const errorOf = (field: keyof typeof LABELS) => form.errors[field] ?? serverSaid[field];
  const Icon = type === 'tar.gz' ? IconFileZip : IconFile;
  const why = refused
    ? 'The file has errors: see the list of checks'
    : findings
      ? undefined
      : 'The file is still being checked';

  return (
    <Section title="New artifact">
      <form
        noValidate
        className={classes['panel']}
        onSubmit={form.onSubmit((fields) => {
          if (findings && !refused && !sending) upload.send(file, wireForm(file, fields));
        })}
      >
        <div className={classes['file']}>
          <Icon size={20} stroke={1.6} aria-hidden />
          <span className={classes['name']}>
            <strong>{file.name}</strong>
            <span className="dim tabular" title={`${formatCount(file.size)} bytes`}>
              {formatBytes(file.size)}
            </span>
          </span>
          {!sending && (
            <BrowseButton onChoose={onChoose} label="Artifact file">
              Choose another file
            </BrowseButton>
          )}
        </div>
        <div className={classes['columns']}>
          <fieldset className={classes['fields']}>
            <legend className="visually-hidden">Fields of the artifact</legend>
            <div className={classes['type']}>
              <span id="artifact-type">Type</span>
              <SegmentedControl
                aria-labelledby="artifact-type"
                data={TYPES}
                readOnly={sending}
                {...form.getInputProps('type')}
              />
            </div>
            <TextInput
              label={LABELS.version}
              placeholder="1.2.0"
              autoComplete="off"
              readOnly={sending}
              required
              ref={focusOnMount}
              {...form.getInputProps('version')}
              error={errorOf('version')}
            />
            {type === 'script' && (
              <>
                <TextInput
                  label={LABELS.destination}
                  description="Folder on the device; made when it is missing."
                  placeholder="/opt/myapp"
                  autoComplete="off"
                  spellCheck={false}
                  readOnly={sending}
                  required
                  {...form.getInputProps('destination')}
                  error={errorOf('destination')}
                />
                <TextInput
                  label={LABELS.command}
                  description="Run in that folder, after the file was made executable."
                  placeholder={guessCommand(file.name)}
                  autoComplete="off"
                  spellCheck={false}
                  classNames={{ input: 'mono' }}
                  readOnly={sending}
                  required
                  {...form.getInputProps('command')}
                  error={errorOf('command')}
                />
              </>
            )}
          </fieldset>
          <CheckList findings={findings} sha256={inspection?.sha256} />
        </div>
        {!sending && <FormError error={unplacedError(upload.error, LABELS)} />}
        {upload.transfer ? (
          <UploadProgress name={file.name} transfer={upload.transfer} onCancel={upload.cancel} />
        ) : (
          <div className={classes['buttons']}>
            {upload.cancelled && <span role="status">Cancelled. Nothing was stored; the form is as it was.</span>}
            <Button variant="default" onClick={onDiscard}>
              Discard
            </Button>
            <Button
              type="submit"
              disabled={why !== undefined}
              title={why}
              {...(upload.cancelled || upload.error ? { ref: focusOnMount } : {})}
            >
              {upload.error ? 'Retry' : 'Upload'}
            </Button>
          </div>
        )}
      </form>
    </Section>
  );
}
