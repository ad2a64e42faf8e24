// Archives: what passes the check is unpacked by the machine's own tar as the check read it, and nothing outside the
// folder changes; what an honest program packs always passes.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import * as fc from 'fast-check';
import { cut, cuts, holds, wellFormedText } from '../../scripts/test-property.ts';
import { verifyArchive } from './tar-check.ts';
import { tarEntries, TarFault } from './tar-entries.ts';
import { gnuLong, pax, tar, type TestEntry } from './test-tar.ts';

const home = mkdtempSync(path.join(tmpdir(), 'muster-tar-'));
after(() => rmSync(home, { recursive: true, force: true }));

const has = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
/** The programs of this machine that unpack; devices have one of the two. */
const TARS = [['tar'], ['busybox', 'tar']].filter(([program = '']) => has(program, '--help'));

// Few names, so that entries meet: files below links, links to links, the same name twice. Most are good ones, because an
// archive with one bad entry is refused, whatever else it has.
const good = fc.constantFrom('a', 'b', 'd', 'ü', 'new\nline', 'x'.repeat(90), '-C', '*', ' ');
const bad = fc.constantFrom('..', '.', '', 'update.sh');
const step = fc.oneof({ weight: 12, arbitrary: good }, { weight: 1, arbitrary: bad });
const steps = fc.array(step, { minLength: 1, maxLength: 3 }).map((all) => all.join('/'));
const around = (most: number, front: string, back = '') =>
  fc.tuple(steps, fc.nat(most)).map(([given, chance]) => (chance === 0 ? front + given + back : given));
const name = fc.oneof(around(20, '/'), around(8, './'), around(10, '', '/'));
const target = fc.oneof(
  { weight: 4, arbitrary: steps },
  { weight: 2, arbitrary: around(2, '../') },
  { weight: 1, arbitrary: fc.constantFrom('/etc', '..', '../..', '../outside', 'a/..', '.', '') },
);
const one = (usual: string, ...others: string[]) =>
  fc.oneof({ weight: 20, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
const entry: fc.Arbitrary<TestEntry> = fc
  .record({
    path: name,
    type: fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom('0', '0', '1', '2', '2', '5') },
      { weight: 1, arbitrary: fc.constantFrom('\0', '7', '3', '4', '6', 'M', 'x') },
    ),
    to: target,
    hasTarget: fc.nat(20),
    mode: fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom(0o644, 0o755) },
      { weight: 1, arbitrary: fc.constant(0o4755) },
    ),
    body: fc.constantFrom('', '', 'text', 'x'.repeat(600)),
    prefix: one('', 'a', '..', '/'),
    magic: fc.constantFrom('ustar\x0000', 'ustar\x0000', 'ustar  \0'),
  })
  .map(({ to, hasTarget, ...own }) => ({ ...own, target: '12'.includes(own.type) || hasTarget === 0 ? to : '' }));

/** A header in front of an entry: a long name of GNU, or a record of pax. */
const before = fc.option(
  fc.tuple(fc.constantFrom('L', 'K', 'path', 'linkpath', 'comment', 'g'), fc.oneof(name, target)),
  { freq: 2 },
);
function entryParts([own, ahead]: [TestEntry, [string, string] | null]): (TestEntry | Uint8Array)[] {
  const hasContents = own.type === '0' || own.type === '7';
  const isPosix = own.magic === 'ustar\x0000';
  const given = { ...own, body: hasContents ? (own.body ?? '') : '', prefix: isPosix ? (own.prefix ?? '') : '' };
  const [kind, long] = ahead ?? ['', ''];
  if (kind === 'L' || kind === 'K') return [gnuLong(kind, long), given];
  if (kind === 'path' || kind === 'linkpath') return [pax({ [kind]: long || 'x' }), given];
  if (kind === 'comment' || kind === 'g') return [pax({ comment: 'by git' }, kind === 'g' ? 'g' : 'x'), given];
  return [given];
}
const update: TestEntry = { path: 'update.sh', mode: 0o755, body: 'echo done\n' };
const entries = fc.array(fc.tuple(entry, before), { maxLength: 6 });
const packed = (parts: [TestEntry, [string, string] | null][]) => tar(update, ...parts.flatMap(entryParts));

async function* inParts(bytes: Uint8Array, at: readonly number[]) {
  yield* cut(bytes, at);
}
/** Whether the archive passes; any other error than a TarFault fails the test. */
async function passes(bytes: Uint8Array, at: readonly number[] = []): Promise<boolean> {
  try {
    await verifyArchive(inParts(bytes, at), bytes.length);
    return true;
  } catch (cause) {
    assert.ok(cause instanceof TarFault, String(cause));
    return false;
  }
}

const oneCharacterEach = (bytes: Buffer) => bytes.toString('latin1');
/** What lies below a folder, in the bytes of the names: its kind, and what it holds or links to. */
function contentsOf(folder: Buffer, below = ''): Record<string, string> {
  const found: Record<string, string> = {};
  for (const own of readdirSync(folder, { encoding: 'buffer' })) {
    const at = Buffer.concat([folder, Buffer.from('/'), own]);
    const shown = below + oneCharacterEach(own);
    const stat = lstatSync(at);
    if (stat.isSymbolicLink()) found[shown] = `-> ${oneCharacterEach(readlinkSync(at, 'buffer'))}`;
    else if (stat.isDirectory()) Object.assign(found, { [shown]: 'folder' }, contentsOf(at, `${shown}/`));
    else found[shown] = `file ${oneCharacterEach(readFileSync(at)).length} ${(stat.mode & 0o6000) === 0}`;
  }
  return found;
}

/** Unpacks in a folder between others, and returns what is in it then; nothing beside it may have changed. */
function unpacked(program: string[], bytes: Uint8Array): Record<string, string> {
  const root = mkdtempSync(path.join(home, 'root-'));
  try {
    const inside = path.join(root, 'up', 'unpacked');
    mkdirSync(inside, { recursive: true });
    for (const each of ['outside', 'up/a', 'up/b', 'up/d', 'up/update.sh'])
      writeFileSync(path.join(root, each), 'as it was');
    const [command = '', ...args] = program;
    const ran = spawnSync(command, [...args, '-x', '-o', '-f', '-', '-C', inside], {
      input: bytes,
      encoding: 'buffer',
    });
    const found = contentsOf(Buffer.from(inside));
    rmSync(inside, { recursive: true });
    const whole = Object.fromEntries(
      ['outside', 'up/a', 'up/b', 'up/d', 'up/update.sh'].map((each) => [each, 'file 9 true']),
    );
    assert.deepEqual(contentsOf(Buffer.from(root)), { ...whole, up: 'folder' });
    assert.equal(ran.status, 0, `${command}: ${ran.stderr.toString()}`);
    return found;
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** What the check reads from the archive, as {@link contentsOf} would find it. */
async function expected(bytes: Uint8Array): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { kind, path: given, target: to, size } of tarEntries(inParts(bytes, []), { maxBytes: 1e6 })) {
    const parts = given.split('/').filter((each) => each !== '' && each !== '.');
    for (let depth = 1; depth < parts.length; depth++) found[parts.slice(0, depth).join('/')] ??= 'folder';
    const at = parts.join('/');
    if (at === '') continue;
    if (kind === 'folder') found[at] = 'folder';
    else if (kind === 'symbolic link') found[at] = `-> ${to}`;
    else if (kind === 'hard link')
      found[at] =
        found[
          to
            .split('/')
            .filter((each) => each !== '' && each !== '.')
            .join('/')
        ] ?? 'missing';
    else found[at] = `file ${size} true`;
  }
  return found;
}

/** Where a link leads, by its text alone: never above the archive's own folder. */
function leadsOut(at: string, to: string): boolean {
  return (
    to.startsWith('/') || path.posix.normalize(path.posix.join('in', path.posix.dirname(at), to)).split('/')[0] !== 'in'
  );
}

for (const program of TARS)
  test(`${program.join(' ')} unpacks accepted archives as read, and nothing outside the folder`, () =>
    holds(
      15,
      fc.asyncProperty(entries, async (parts) => {
        const bytes = packed(parts);
        if (!(await passes(bytes))) return;
        const found = unpacked(program, bytes);
        assert.deepEqual(found, await expected(bytes));
        for (const [at, what] of Object.entries(found))
          if (what.startsWith('-> ')) assert.ok(!leadsOut(at, what.slice(3)), at);
      }),
    ));

const ownName = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom('a', 'b', 'ü', '..c', 'x'.repeat(120), '-C', 'a b', "it's", '\\n', '\u202e'),
  },
  { weight: 1, arbitrary: wellFormedText(20).map((text) => text.replace(/[/\0]/g, '')) },
);
const usable = ownName.filter((own) => own !== '' && own !== '.' && own !== '..');
const tree = fc.array(
  fc.record({ path: fc.array(usable, { minLength: 1, maxLength: 4 }), body: fc.nat(2000), link: fc.nat(3) }),
  { maxLength: 8 },
);

test('a folder that tar packs in any format is accepted and read correctly', async (t) => {
  if (!has('tar', '--format=pax', '--version')) return t.skip('this machine has no GNU tar');
  await holds(
    5,
    fc.asyncProperty(tree, fc.constantFrom('gnu', 'pax', 'posix'), cuts(4), async (files, format, at) => {
      const folder = mkdtempSync(path.join(home, 'packed-'));
      try {
        writeFileSync(path.join(folder, 'update.sh'), '');
        for (const [index, { path: own, body, link }] of files.entries()) {
          const file = path.join(folder, ...own);
          // A name may be taken by a file, a folder or a link by now.
          try {
            mkdirSync(path.dirname(file), { recursive: true });
            if (link === 1) symlinkSync(`${'../'.repeat(own.length - 1)}update.sh`, file);
            else if (link === 2 && index > 0) linkSync(path.join(folder, 'update.sh'), file);
            else writeFileSync(file, 'x'.repeat(body), { flag: 'wx' });
          } catch {}
        }
        const { stdout, status, stderr } = spawnSync('tar', [`--format=${format}`, '-cf', '-', '-C', folder, '.'], {
          maxBuffer: 1e7,
        });
        assert.equal(status, 0, stderr.toString());
        const bytes = new Uint8Array(stdout);
        assert.equal((await verifyArchive(inParts(bytes, at), bytes.length)).folder, '');
        assert.deepEqual(await expected(bytes), contentsOf(Buffer.from(folder)));
      } finally {
        rmSync(folder, { recursive: true });
      }
    }),
  );
});

test('the result does not depend on the chunks, and a damaged archive is refused', () =>
  holds(
    60,
    fc.asyncProperty(
      entries,
      cuts(),
      fc.array(fc.tuple(fc.nat(8000), fc.nat(255)), { maxLength: 3 }),
      fc.option(fc.nat(8000)),
      async (parts, at, changes, end) => {
        const bytes = packed(parts);
        assert.equal(await passes(bytes, at), await passes(bytes));
        const damaged = bytes.slice(0, end ?? bytes.length);
        for (const [where, value] of changes) if (where < damaged.length) damaged[where] = value;
        assert.equal(await passes(damaged, at), await passes(damaged));
      },
    ),
  ));
