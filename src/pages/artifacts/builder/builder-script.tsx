// The second step: the update.sh that devices run, from the folder or from an editable template.
import { useEffect, useMemo, useState } from 'react';
import { Button, Select, Textarea } from '@mantine/core';
import { TextField } from '#/ui/form/text-field.tsx';
import { CheckList } from '#/pages/artifacts/inspect/check-list.tsx';
import { ScriptBeginning } from '#/pages/artifacts/inspect/inspected-contents.tsx';
import { SCRIPT_HEAD, checkScript } from '#/pages/artifacts/inspect/script-check.ts';
import type { Builder } from './use-builder.ts';
import classes from './builder.module.css';

const utf8 = new TextEncoder();

export function BuilderScript({ builder }: { builder: Builder }) {
  const { own, fields, faults, fill, script, isEdited, write } = builder;
  const findings = useMemo(() => checkScript('update.sh', utf8.encode(script), 'update'), [script]);
  if (own) return <OwnScript file={own} />;
  const runnable = builder.files.map(([path]) => path);
  return (
    <>
      <p>
        Devices run update.sh. This one stops at the first error, restores the previous version and reports it by its
        exit code.
      </p>
      <div className={classes.fields}>
        <TextField
          label="Install into"
          value={fields.target}
          error={faults.target}
          onChange={({ currentTarget }) => fill({ target: currentTarget.value })}
          autoComplete="off"
          spellCheck={false}
          disabled={isEdited}
          required
        />
        <Select
          label="Then run"
          placeholder="Nothing"
          data={runnable}
          value={fields.run || null}
          onChange={(run) => {
            fill({ run: run ?? '' });
            if (run && !builder.programs.has(run)) builder.toggleProgram(run);
          }}
          limit={100}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': 'Run nothing' }}
          disabled={isEdited}
        />
      </div>
      {isEdited && <p className="dim">You edited the script. Restore the template to change these two.</p>}
      <Textarea
        label="update.sh"
        classNames={{ input: `mono ${classes.script}` }}
        value={script}
        onChange={({ currentTarget }) => write(currentTarget.value)}
        rows={16}
        spellCheck={false}
        autoComplete="off"
      />
      {isEdited && (
        <div>
          <Button onClick={() => write(undefined)}>Restore the template</Button>
        </div>
      )}
      <CheckList findings={findings} />
    </>
  );
}

function OwnScript({ file }: { file: File }) {
  const [head, setHead] = useState<Uint8Array>();
  useEffect(() => {
    let here = true;
    const read = file.slice(0, SCRIPT_HEAD).arrayBuffer();
    const unreadable = () => new ArrayBuffer(0);
    void read.catch(unreadable).then((bytes) => here && setHead(new Uint8Array(bytes)));
    return () => {
      here = false;
    };
  }, [file]);
  return (
    <>
      <p>The folder’s own update.sh is used as it is.</p>
      <CheckList findings={head && checkScript('update.sh', head, 'update')} />
      {head && (
        <ScriptBeginning
          open
          script={{ name: 'update.sh', text: new TextDecoder().decode(head), cut: file.size > head.length }}
        />
      )}
    </>
  );
}
