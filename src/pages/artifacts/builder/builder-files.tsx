// The first step: the files, the name and version, and which files are included.
import type { ChangeEvent } from 'react';
import { TextField } from '#/ui/form/text-field.tsx';
import type { TreeRow } from '#/pages/artifacts/inspect/archive-tree.ts';
import { TreeView, filesText } from '#/pages/artifacts/inspect/tree-view.tsx';
import { BrowseButton } from '#/ui/form/drop-area.tsx';
import { formatBytes, formatCount } from '#/lib/format.ts';
import { Status } from '#/ui/controls/status.tsx';
import { fileNameOf } from './artifact-name.ts';
import { whyLeftOut } from './picked-files.ts';
import type { Builder } from './use-builder.ts';
import classes from './builder.module.css';

export function BuilderFiles({
  builder,
  reading,
  onChoose,
}: {
  builder: Builder;
  reading: boolean;
  onChoose: (files: File[]) => void;
}) {
  const { picked, rows, taken, fields, faults, fill } = builder;
  const choosers = (
    <>
      <BrowseButton onChoose={onChoose} label="Folder to pack" folder>
        Choose a folder
      </BrowseButton>
      <BrowseButton onChoose={onChoose} label="Files to pack" multiple>
        Choose files
      </BrowseButton>
    </>
  );
  const insideOf = (row: TreeRow) =>
    rows
      .slice(rows.indexOf(row), row.end)
      .filter(({ kind }) => kind !== 'folder')
      .map(({ path }) => path);
  const input = (name: 'name' | 'version') => ({
    value: fields[name],
    error: fields[name] !== '' && faults[name],
    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) => fill({ [name]: currentTarget.value }),
    autoComplete: 'off',
    spellCheck: false,
    required: true,
  });
  return (
    <>
      {picked && (
        <div className={classes.fields}>
          <TextField label="Name" data-autofocus {...input('name')} />
          <TextField label="Version" placeholder="1.2.0" {...input('version')} />
        </div>
      )}
      <Status className={picked || !reading ? 'breakable' : classes.drop}>
        {picked ? <Summary builder={builder} picked={picked} /> : reading && 'Reading the files…'}
      </Status>
      {picked ? (
        <>
          <TreeView
            key={[...picked.files.keys()].join('/')}
            name="Files of the archive"
            rows={rows}
            marks={{
              taken,
              note: ({ path, name }) => {
                const why = whyLeftOut(path);
                return why === undefined || why === name ? undefined : why;
              },
              onTake: (row, take) => builder.leaveOut(insideOf(row), !take),
              onRuns: ({ path }) => path !== 'update.sh' && builder.toggleProgram(path),
            }}
          />
          <div className={classes.below}>
            <span className="dim">
              <kbd>Space</kbd>: include/exclude, <kbd>x</kbd>: executable
            </span>
            <div className={classes.choosers}>{choosers}</div>
          </div>
        </>
      ) : (
        !reading && (
          <div className={classes.drop}>
            <p>Drop a folder or files here. They are packed in this browser; nothing is sent yet.</p>
            <div className={classes.choosers}>{choosers}</div>
          </div>
        )
      )}
    </>
  );
}

function Summary({ builder, picked }: { builder: Builder; picked: NonNullable<Builder['picked']> }) {
  const { files, fields, faults, size } = builder;
  const left = picked.files.size - files.length;
  return (
    <>
      <strong>
        {files.length === 1 ? 'One file' : filesText(files.length)}, {formatBytes(size)}
      </strong>
      {!faults.name && !faults.version && <> in {fileNameOf(fields.name, fields.version)}</>}
      {left > 0 && <span className="dim"> · {filesText(left)} left out</span>}
      {picked.emptyFolders > 0 && (
        <span className="dim">
          {' · '}
          {picked.emptyFolders === 1
            ? 'an empty folder is'
            : `${formatCount(picked.emptyFolders)} empty folders are`}{' '}
          left out: create them in update.sh
        </span>
      )}
    </>
  );
}
