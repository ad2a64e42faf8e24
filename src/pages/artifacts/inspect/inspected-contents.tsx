// The contents of an inspected file: the tree of an archive, and the start of the script that runs.
import { IconChevronRight } from '@tabler/icons-react';
import { formatBytes } from '#/lib/format.ts';
import { splitGlyphs } from '#/lib/glyphs.ts';
import type { Inspection, ScriptText } from './inspect-file.ts';
import { TreeView, filesText } from './tree-view.tsx';
import classes from './inspected-contents.module.css';

export function InspectedContents({ inspection: { tree, script } }: { inspection: Inspection }) {
  const top = tree?.filter(({ depth }) => depth === 1) ?? [];
  const sum = (of: 'files' | 'size') => top.reduce((total, row) => total + row[of], 0);
  return (
    <>
      {tree && tree.length > 0 && (
        <details className={classes.part} open={tree.length <= 12}>
          <summary>
            <IconChevronRight className="turns" size={16} stroke={1.6} aria-hidden />
            Contents
            <span className="dim tabular">
              {filesText(sum('files'))}, {formatBytes(sum('size'))}
            </span>
          </summary>
          <TreeView name="Contents of the archive" rows={tree} />
        </details>
      )}
      {script && <ScriptBeginning script={script} />}
    </>
  );
}

export function ScriptBeginning({ script: { name, text, cut }, open = false }: { script: ScriptText; open?: boolean }) {
  return (
    <details className={classes.part} open={open}>
      <summary>
        <IconChevronRight className="turns" size={16} stroke={1.6} aria-hidden />
        {name} {cut && <span className="dim">its first {formatBytes(text.length)}</span>}
      </summary>
      <pre className={`${classes.script} mono`} tabIndex={0} role="region" aria-label={`Beginning of ${name}`}>
        {splitGlyphs(text).map(({ text: piece, glyph }, index) => (glyph ? <mark key={index}>{piece}</mark> : piece))}
      </pre>
    </details>
  );
}
