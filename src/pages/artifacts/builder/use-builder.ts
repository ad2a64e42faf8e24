// The state of the builder: the files, which of them are included and executable, and the update.sh.
import { useMemo, useState } from 'react';
import type { Artifact } from '#/contract/artifacts.ts';
import { toggled } from '#/lib/toggled.ts';
import { suggestedVersion } from '#/pages/artifacts/versions/artifact-versions.ts';
import type { PackRequest } from '#/pages/artifacts/inspect/archive-worker.ts';
import { treeOf } from '#/pages/artifacts/inspect/archive-tree.ts';
import { guessVersion } from '#/pages/artifacts/inspect/guess.ts';
import { fileNameOf, folderOf, nameFault, suggestedName, versionFault } from './artifact-name.ts';
import { whyLeftOut, type Picked } from './picked-files.ts';
import { targetFault, updateScript } from './update-template.ts';

interface Fields {
  name: string;
  version: string;
  target: string;
  run: string;
}

/** The files that start like programs or scripts. */
export async function findPrograms(picked: Picked): Promise<Set<string>> {
  const programs = new Set<string>();
  const waiting = [...picked.files].filter(([path]) => whyLeftOut(path) === undefined);
  const look = async () => {
    for (let next = waiting.pop(); next; next = waiting.pop()) {
      const [path, file] = next;
      // An unreadable file is reported when it is packed.
      const head = new Uint8Array(
        await file
          .slice(0, 4)
          .arrayBuffer()
          .catch(() => new ArrayBuffer(0)),
      );
      const begins = String.fromCharCode(...head);
      if (begins.startsWith('#!') || begins === '\u007fELF') programs.add(path);
    }
  };
  await Promise.all(Array.from({ length: 16 }, look));
  return programs;
}

/** The files as a tree, and which rows are included: of a folder all, none or some files. */
function useTree(picked: Picked | undefined, programs: ReadonlySet<string>, out: ReadonlySet<string>) {
  const rows = useMemo(
    () =>
      treeOf(
        [...(picked?.files ?? [])].map(([path, { size }]) => ({
          path,
          kind: 'file' as const,
          size,
          mode: programs.has(path) || path === 'update.sh' ? 0o755 : 0o644,
          target: '',
        })),
      ),
    [picked, programs],
  );
  const taken = useMemo(() => {
    const takenIn = rows.map(({ path, kind }) => kind !== 'folder' && !out.has(path));
    return rows.map(({ kind, end, files }, index) => {
      if (kind !== 'folder') return takenIn[index] ?? false;
      const count = takenIn.slice(index + 1, end).filter(Boolean).length;
      return count === files ? true : count > 0 ? ('mixed' as const) : false;
    });
  }, [rows, out]);
  return { rows, taken };
}

/** `limit`: an artifact must be smaller. */
export function useBuilder(artifacts: readonly Artifact[], limit: number) {
  const [picked, setPicked] = useState<Picked>();
  const [out, setOut] = useState<ReadonlySet<string>>(new Set());
  const [programs, setPrograms] = useState<ReadonlySet<string>>(new Set());
  const [fields, setFields] = useState<Fields>({ name: '', version: '', target: '', run: '' });
  const [written, setWritten] = useState<string>();

  const { rows, taken } = useTree(picked, programs, out);
  const files = [...(picked?.files ?? [])].filter(([path]) => !out.has(path));
  const own = files.find(([path]) => path === 'update.sh')?.[1];
  const script = written ?? updateScript(fields);

  const take = (chosen: Picked, found: ReadonlySet<string>) => {
    const version = guessVersion(chosen.folder);
    const name = suggestedName(chosen.folder, version);
    const runnable = [...found].filter((path) => !path.includes('/')).sort();
    setPicked(chosen);
    setPrograms(found);
    setOut(new Set([...chosen.files.keys()].filter((path) => whyLeftOut(path) !== undefined)));
    setWritten(undefined);
    setFields({
      name,
      version: version || suggestedVersion(`${name}.tar.gz`, artifacts) || '1.0.0',
      target: `/opt/${name || 'app'}`,
      run: runnable.find((path) => /^(install|setup|start|main|run)\b/.test(path)) ?? '',
    });
  };

  return {
    picked,
    rows,
    taken,
    files,
    programs,
    fields,
    /** The folder's own update.sh, which is used as it is. */
    own,
    script,
    isEdited: written !== undefined,
    size: files.reduce((sum, [, file]) => sum + file.size, 0),
    faults: {
      name: nameFault(fields.name),
      version: versionFault(fields.version),
      target: own ? undefined : targetFault(fields.target),
    },
    take,
    fill: (change: Partial<Fields>) => setFields({ ...fields, ...change }),
    write: setWritten,
    leaveOut: (paths: readonly string[], leave: boolean) => {
      const given = new Set(paths);
      setOut(new Set(leave ? [...out, ...paths] : [...out].filter((path) => !given.has(path))));
    },
    toggleProgram: (path: string) => setPrograms(toggled(programs, path)),
    packRequest: (): PackRequest => ({
      name: fileNameOf(fields.name, fields.version),
      folder: folderOf(fields.name, fields.version),
      files: [
        ...files.map(([path, content]) => ({ path, content, runs: programs.has(path) || path === 'update.sh' })),
        ...(own ? [] : [{ path: 'update.sh', content: new Blob([script]), runs: true }]),
      ],
      limit,
    }),
  };
}
export type Builder = ReturnType<typeof useBuilder>;
