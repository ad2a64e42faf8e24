// The fields of one upload: suggestions from the file, the form that is sent, and errors.
import { artifactForm, type Artifact, type ArtifactForm } from '#/contract/artifacts.ts';
import { checkedBy } from '#/api/form-rules.ts';
import { suggestedVersion } from '#/pages/artifacts/versions/artifact-versions.ts';
import { guessCommand, guessVersion, type ArtifactType } from '#/pages/artifacts/inspect/guess.ts';
import type { ChosenFile } from '#/pages/artifacts/inspect/inspect-file.ts';

export interface Fields {
  type: ArtifactType;
  version: string;
  destination: string;
  command: string;
}

export const LABELS = { version: 'Version', destination: 'Destination folder', command: 'Command' };
export type FieldName = keyof typeof LABELS;

/** Suggests the version in the file's name, or the one after the last version of this name. */
export const fieldsFor = ({ name, type }: ChosenFile, artifacts: readonly Artifact[]): Fields => ({
  type,
  version: guessVersion(name) || suggestedVersion(name, artifacts),
  destination: '',
  command: guessCommand(name),
});

/** The fields for a replaced file: its suggestions, except in fields that the user has edited. */
export function mergedFields(fields: Fields, suggested: Fields, next: Fields): Fields {
  const merged = (name: FieldName) => (fields[name] !== '' && fields[name] !== suggested[name] ? fields : next)[name];
  return {
    type: fields.type === suggested.type ? next.type : fields.type,
    version: merged('version'),
    destination: merged('destination'),
    command: merged('command'),
  };
}

/** The form that is sent: the `size` in bytes, and the fields of scripts only for a script. */
export const wireForm = ({ size }: ChosenFile, { type, version, destination, command }: Fields): ArtifactForm => ({
  size: String(size),
  type,
  version: version.trim(),
  ...(type === 'script' && { destination: destination.trim(), command }),
});

const check = checkedBy(artifactForm, LABELS);

export const fieldFaults = (file: ChosenFile, fields: Fields): Partial<Record<FieldName, string>> =>
  check(wireForm(file, fields));
