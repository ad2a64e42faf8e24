// The contents of an archive as rows of a tree: each folder before its contents, including folders without an entry.
import { escapeInvisible, type TarKind } from '#/contract/tar-entries.ts';

export interface TreeEntry {
  path: string;
  kind: TarKind;
  size: number;
  mode: number;
  /** What a link points to. */
  target: string;
  refused?: boolean;
}

export interface TreeRow {
  /** The whole path, which no two rows share. */
  path: string;
  name: string;
  depth: number;
  kind: TarKind;
  /** Of a folder: of all that is in it. */
  size: number;
  /** Of a folder: how many files are in it. */
  files: number;
  /** undefined for a folder that no entry of its own describes. */
  mode: number | undefined;
  target: string;
  refused: boolean;
  hidesRefused: boolean;
  /** Index behind the last row inside this one. */
  end: number;
  /** Position among its siblings, from 1, and how many they are. */
  position: number;
  siblings: number;
}

interface Node {
  entry: TreeEntry | undefined;
  inside: Map<string, Node>;
}

const isFolder = ({ entry, inside }: Node) => inside.size > 0 || entry?.kind === 'folder';

/** Folders first, then by name as a person sorts them. */
const collator = new Intl.Collator('en', { numeric: true });
const sorted = (inside: Map<string, Node>) =>
  [...inside].sort(
    ([a, left], [b, right]) => Number(isFolder(right)) - Number(isFolder(left)) || collator.compare(a, b),
  );

export function treeOf(entries: readonly TreeEntry[]): TreeRow[] {
  const root: Node = { entry: undefined, inside: new Map() };
  for (const entry of entries) {
    let at = root;
    for (const part of entry.path.split('/').filter((each) => each !== '' && each !== '.')) {
      const next = at.inside.get(part) ?? { entry: undefined, inside: new Map<string, Node>() };
      at.inside.set(part, next);
      at = next;
    }
    if (at !== root) at.entry = entry;
  }
  const rows: TreeRow[] = [];
  // Iterative, since an archive may be nested deeper than the call stack.
  const waiting: { entry: [string, Node]; above: TreeRow | undefined; position: number; siblings: number }[] = [];
  const add = ({ inside }: Node, above: TreeRow | undefined) => {
    const siblings = sorted(inside);
    for (let position = siblings.length; position > 0; position -= 1)
      waiting.push({ entry: siblings[position - 1]!, above, position, siblings: siblings.length });
  };
  const aboveOf = new Map<TreeRow, TreeRow | undefined>();
  add(root, undefined);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { above, position, siblings } = next;
    const [part, node] = next.entry;
    const folder = isFolder(node);
    const row: TreeRow = {
      path: above ? `${above.path}/${part}` : part,
      name: escapeInvisible(part),
      depth: (above?.depth ?? 0) + 1,
      kind: folder ? 'folder' : (node.entry?.kind ?? 'folder'),
      size: folder ? 0 : (node.entry?.size ?? 0),
      files: folder ? 0 : 1,
      mode: node.entry?.mode,
      target: escapeInvisible(node.entry?.target ?? ''),
      refused: node.entry?.refused ?? false,
      hidesRefused: false,
      end: rows.length + 1,
      position,
      siblings,
    };
    rows.push(row);
    aboveOf.set(row, above);
    if (folder) add(node, row);
  }
  // From the last row to the first, so that the contents of a folder are added up before the folder.
  for (const row of rows.toReversed()) {
    const above = aboveOf.get(row);
    if (!above) continue;
    above.size += row.size;
    above.files += row.files;
    above.hidesRefused ||= row.refused || row.hidesRefused;
    above.end = Math.max(above.end, row.end);
  }
  return rows;
}

/** "rwxr-xr-x", as `ls` prints a mode; with s and t for the bits above. */
export function modeText(mode: number): string {
  const bit = (shift: number, letters: string, special: number, mark: string) => {
    const [read, write, run] = [mode & (4 << shift), mode & (2 << shift), mode & (1 << shift)];
    const last = mode & special ? (run ? mark : mark.toUpperCase()) : run ? letters[2] : '-';
    return `${read ? 'r' : '-'}${write ? 'w' : '-'}${last ?? '-'}`;
  };
  return bit(6, 'rwx', 0o4000, 's') + bit(3, 'rwx', 0o2000, 's') + bit(0, 'rwx', 0o1000, 't');
}

/** The indexes of visible rows while the folders in `closed` (by path) are closed. */
export function seenRows(rows: readonly TreeRow[], closed: ReadonlySet<string>): number[] {
  const seen: number[] = [];
  for (let at = 0; at < rows.length; at = closed.has(rows[at]!.path) ? rows[at]!.end : at + 1) seen.push(at);
  return seen;
}
