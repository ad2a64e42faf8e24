// The files of a dropped or chosen folder, or several files, by their paths inside it.
import { formatCount } from '#/lib/format.ts';

export interface Picked {
  /** What the folder is called; '' for files by themselves. */
  folder: string;
  files: Map<string, File>;
  /** Empty folders, which are left out: an archive is made of files. */
  emptyFolders: number;
}

/** As many as an archive may hold. */
const MOST_FILES = 50_000;
const tooMany = () =>
  new Error(`There are more than ${formatCount(MOST_FILES)} files. Choose the folder that devices need.`);

/** The entries of a drop that contains a folder; undefined without one. Only available during the event. */
export function droppedEntries(transfer: DataTransfer | null): FileSystemEntry[] | undefined {
  const entries = [...(transfer?.items ?? [])].flatMap((item) => item.webkitGetAsEntry() ?? []);
  return entries.some((entry) => entry.isDirectory) ? entries : undefined;
}

const children = async (folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> => {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  // It returns a hundred at a time, and none at the end.
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
};

/** All files of dropped entries. A single folder means its contents. */
export async function readEntries(entries: FileSystemEntry[]): Promise<Picked> {
  const [first] = entries;
  const lone = entries.length === 1 && first?.isDirectory ? first : undefined;
  const picked: Picked = { folder: lone?.name ?? '', files: new Map(), emptyFolders: 0 };
  const waiting = entries.map((entry) => ({ entry, path: lone ? '' : entry.name }));
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { entry, path } = next;
    if (entry.isDirectory) {
      const inside = await children(entry as FileSystemDirectoryEntry);
      if (inside.length === 0) picked.emptyFolders += 1;
      waiting.push(...inside.map((each) => ({ entry: each, path: path ? `${path}/${each.name}` : each.name })));
    } else {
      if (picked.files.size >= MOST_FILES) throw tooMany();
      picked.files.set(
        path,
        await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject)),
      );
    }
  }
  return picked;
}

/** The files of a file input. For a folder, each file has its path. */
export function fromField(chosen: readonly File[]): Picked {
  if (chosen.length > MOST_FILES) throw tooMany();
  const paths = chosen.map((file) => file.webkitRelativePath || file.name);
  const folder = chosen[0]?.webkitRelativePath ? (paths[0]?.split('/')[0] ?? '') : '';
  const inside = (path: string) => (folder ? path.slice(folder.length + 1) : path);
  return { folder, files: new Map(chosen.map((file, index) => [inside(paths[index] ?? ''), file])), emptyFolders: 0 };
}

/** Files that are left out unless the user includes them: devices do not need them, or must not see them. */
const KINDS: [word: string, of: (part: string) => boolean][] = [
  ['version control', (part) => ['.git', '.svn', '.hg'].includes(part)],
  ['node_modules', (part) => part === 'node_modules'],
  ['system files', (part) => /^(\._.*|\.DS_Store|__MACOSX|Thumbs\.db|desktop\.ini|__pycache__)$/i.test(part)],
  ['hidden', (part) => part.startsWith('.')],
];

/** Why a file is left out by default; undefined if it is included. */
export function whyLeftOut(path: string): string | undefined {
  const parts = path.split('/');
  return KINDS.find(([, of]) => parts.some(of))?.[0];
}
