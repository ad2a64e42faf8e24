// Archives that must never reach a device, each with the reason. Browser and service are tested with this one table, so that
// neither accepts what the other refuses.
import { gnuLong, gzip, pax, tar, tarEntry, type TestEntry } from './test-tar.ts';

interface HostileArchive {
  name: string;
  says: RegExp;
  bytes: () => Promise<Uint8Array<ArrayBuffer>>;
}

const update: TestEntry = { path: 'update.sh', mode: 0o755, body: '#!/bin/sh\necho done\n' };
const link = (path: string, target: string): TestEntry => ({ path, type: '2', target });
const up = `${'x/'.repeat(60)}../..`;

const joined = (...parts: Iterable<number>[]) => new Uint8Array(parts.flatMap((part) => [...part]));
const altered = (bytes: Uint8Array<ArrayBuffer>, at: number, value: number) =>
  bytes.map((byte, index) => (index === at ? value : byte));

/** An archive with a good update.sh before `parts`. */
const behind = (name: string, says: RegExp, ...parts: (TestEntry | Uint8Array)[]): HostileArchive => ({
  name,
  says,
  bytes: () => gzip(tar(update, ...parts)),
});
const only = (name: string, says: RegExp, ...parts: (TestEntry | Uint8Array)[]): HostileArchive => ({
  name,
  says,
  bytes: () => gzip(tar(...parts)),
});

/** An archive as two gzip members, the second of which begins within an entry. */
const halves = async (...parts: (TestEntry | Uint8Array)[]) => {
  const whole = tar(...parts);
  return Promise.all([gzip(whole.slice(0, 700)), gzip(whole.slice(700))]);
};
const zeros = (count: number) => new Uint8Array(count);

export const HOSTILE_ARCHIVES: HostileArchive[] = [
  behind('climbs', /"\.\.\/evil", which leads out/, { path: '../evil' }),
  behind('climbs later', /leads out/, { path: 'a/../../evil' }),
  behind('climbs to itself', /leads out/, { path: 'a/..' }),
  behind('is absolute', /"\/etc\/passwd", an absolute path/, { path: '/etc/passwd' }),
  behind('is absolute by its prefix', /an absolute path/, { path: 'etc/evil', prefix: '/' }),
  behind('climbs by its prefix', /leads out/, { path: 'evil', prefix: '..' }),
  behind('climbs by a long name of GNU', /leads out/, gnuLong('L', `../${'a'.repeat(150)}`), { path: 'short' }),
  behind('climbs by a pax header', /leads out/, pax({ path: '../evil' }), { path: 'short' }),
  behind('climbs as an old v7 entry', /leads out/, { path: '../evil', type: '\0', magic: '' }),

  behind('links to an absolute path', /"a", a link to the absolute path "\/etc"/, link('a', '/etc')),
  behind('links up', /"a", a link that leads out/, link('a', '..')),
  behind('links up too far', /leads out/, link('d/a', '../../x')),
  behind('links up through a link', /"c", a link that leads out/, link('d/up', '..'), link('c', 'd/up/../..')),
  behind('links back through a link', /"c", a link that leads out/, link('d/up', '..'), link('c', 'd/up/..')),
  behind('links to nothing', /a link to nothing/, link('a', '')),
  behind('links up by a long name of GNU', /leads out/, gnuLong('K', up), link('a', 'short')),
  behind('links up by a pax header', /leads out/, pax({ linkpath: '../x' }), link('a', 'short')),
  behind('writes through a link', /through "a", a symbolic link/, link('a', 'b'), { path: 'a/x' }),
  behind('writes through a later link', /through "a", a symbolic link/, { path: 'a/x' }, link('a', 'b')),
  behind('writes through a file', /through "a", a file/, { path: 'a' }, { path: 'a/x' }),
  behind('replaces a link', /"a" twice/, link('a', 'b'), { path: 'a' }),
  behind('links twice', /"a" twice/, link('a', 'b'), link('a', 'c')),
  behind('hard link out', /leads out/, { path: 'h', type: '1', target: '../../etc/passwd' }),
  behind('hard link to an absolute path', /leads out/, { path: 'h', type: '1', target: '/etc/passwd' }),
  behind('hard link to what is not there', /hard link to "missing"/, { path: 'h', type: '1', target: 'missing' }),
  behind('hard link to a link', /hard link to "s"/, link('s', 'b'), { path: 'h', type: '1', target: 's' }),

  behind('block device', /"dev\/sda", a device or pipe/, { path: 'dev/sda', type: '4' }),
  behind('character device', /a device or pipe/, { path: 'null', type: '3' }),
  behind('pipe', /a device or pipe/, { path: 'p', type: '6' }),
  behind('odd kind', /an entry of an unusual kind/, { path: 'v', type: 'M' }),
  behind('setuid', /"su", a program .*setuid/, { path: 'su', mode: 0o4755 }),
  behind('setgid', /setgid/, { path: 'sg', mode: 0o2755 }),
  behind('sparse by a pax header', /bsdtar\), with --no-read-sparse/, pax({ 'GNU.sparse.major': '1' }), { path: 'x' }),
  behind('sparse of old GNU', /without --sparse/, { path: 'x', type: 'S' }),
  behind('a file without a name', /without a name/, { path: './', type: '2', target: 'update.sh' }),
  behind('a path that no system takes', /more than 4096 characters/, gnuLong('L', 'd/'.repeat(2100)), { path: 'x' }),

  behind('hides entries behind an empty block', /damaged/, new Uint8Array(512), { path: '../evil' }),
  behind('a link with contents', /damaged/, { ...link('l', 'x'), body: 'contents' }),
  behind('a folder with contents', /damaged/, { path: 'd/', type: '5', body: 'contents' }),
  behind('a file with the target of a link', /damaged/, { path: 'f', target: 'update.sh' }),
  behind('a folder with the target of a link', /damaged/, gnuLong('K', 'update.sh'), { path: 'd/', type: '5' }),
  behind('a file with the name of a folder', /"d\/", a file with the name/, { path: 'd/' }),
  behind('a file that ends in a step', /"d\/\.", a file with the name/, { path: 'd/.' }),
  behind('two long names', /damaged/, gnuLong('L', 'one'), gnuLong('L', 'two'), { path: 'x' }),
  behind('two kinds of long names', /damaged/, gnuLong('L', 'one'), pax({ path: 'two' }), { path: 'x' }),
  behind('a path for all that follow', /damaged/, pax({ path: '../evil' }, 'g'), { path: 'x' }),
  behind('a size that some read as another', /damaged/, pax({ size: '0x10' }), { path: 'x', body: 'x'.repeat(16) }),
  behind('an empty pax path', /damaged/, pax({ path: '' }), { path: 'd/', type: '5' }),
  behind('a broken pax header', /damaged/, { path: 'p', type: 'x', body: '99 path=x\n' }, { path: 'x' }),
  behind('a huge pax header', /damaged/, { path: 'p', type: 'x', size: 2_000_000 }),
  { name: 'a changed header', says: /damaged/, bytes: () => gzip(altered(tar(update), 3, 65)) },
  {
    name: 'just text',
    says: /damaged|cut off/,
    bytes: () => gzip(new TextEncoder().encode('just text, compressed'.repeat(100))),
  },
  {
    name: 'an archive cut off inside',
    says: /cut off/,
    bytes: () => gzip(tar({ ...update, body: 'x'.repeat(3000) }).slice(0, 2000)),
  },
  {
    name: 'compressed data cut off',
    says: /damaged or cut off/,
    bytes: async () => (await gzip(tar(update))).slice(0, -6),
  },
  {
    name: 'a wrong checksum',
    says: /damaged or cut off/,
    bytes: async () => {
      const good = await gzip(tar(update));
      return altered(good, good.length - 6, (good.at(-6) ?? 0) ^ 0xff);
    },
  },
  {
    name: 'more behind the compressed data',
    says: /damaged or cut off/,
    bytes: async () => joined(await gzip(tar(update)), Uint8Array.of(1, 2, 3)),
  },
  {
    name: 'an entry of the second member that climbs',
    says: /leads out/,
    bytes: async () => joined(...(await halves(update, { path: '../evil' }))),
  },
  {
    name: 'a wrong sum in the second member',
    says: /damaged or cut off/,
    bytes: async () => {
      const good = joined(...(await halves(update)));
      return altered(good, good.length - 6, (good.at(-6) ?? 0) ^ 0xff);
    },
  },
  {
    name: 'a second member that is cut off',
    says: /damaged or cut off/,
    bytes: async () => joined(...(await halves(update))).slice(0, -3),
  },
  {
    name: 'the first byte of a second member',
    says: /damaged or cut off/,
    bytes: async () => joined(await gzip(tar(update)), [0x1f]),
  },
  {
    name: 'a member behind zeros',
    says: /damaged or cut off/,
    bytes: async () => joined(await gzip(tar(update)), zeros(100_000), await gzip(zeros(10))),
  },

  only('nothing', /no update\.sh/),
  only('no update.sh', /no update\.sh/, { path: 'install.sh' }),
  only('another spelling', /no update\.sh, only "Update\.SH"/, { path: 'Update.SH' }),
  only('update.sh is a folder', /no update\.sh/, { path: 'update.sh/', type: '5' }),
  only('update.sh too deep', /no update\.sh .* "a\/b\/update\.sh"/, { ...update, path: 'a/b/update.sh' }),
  only(
    'several update.sh',
    /several update\.sh: "a\/update\.sh", "b/,
    { ...update, path: 'a/update.sh' },
    { ...update, path: 'b/update.sh' },
  ),
  // Two bytes that are no text in place of two letters of the same sum, so that the header's checksum stays right.
  only(
    'a folder that is no text',
    /not UTF-8/,
    joined([0xc0, 0x34], tarEntry({ ...update, path: 'zz/update.sh' }).slice(2)),
  ),

  behind('says that it unpacks to more', /unpacks to more than 512 MB/, { path: 'zeros', size: 600 * 1024 * 1024 }),
  {
    name: 'unpacks to more than a device may be asked to hold',
    says: /unpacks to more than 512 MB/,
    bytes: () => {
      const megabyte = tarEntry({ path: 'zeros', body: new Uint8Array(1024 * 1024) });
      return gzip(tarEntry(update), ...Array.from({ length: 520 }, () => megabyte));
    },
  },
  behind(
    'more entries than anyone needs',
    /more than 50,000 entries/,
    ...Array<Uint8Array>(50_001).fill(tarEntry({ path: 'same' })),
  ),
];

/** Gzip files of several members and with zeros behind them, which gzip(1) unpacks to a good archive. */
export const SEVERAL_MEMBERS: Pick<HostileArchive, 'name' | 'bytes'>[] = [
  { name: 'two members', bytes: async () => joined(...(await halves(update))) },
  {
    name: 'members of nothing',
    bytes: async () => joined(await gzip(), ...(await halves(update)), await gzip(), await gzip()),
  },
  {
    name: 'a second archive behind the end of the first, which tar does not read',
    bytes: async () => joined(await gzip(tar(update)), await gzip(tar({ path: '../evil' }))),
  },
  { name: 'zeros behind two members', bytes: async () => joined(...(await halves(update)), zeros(100_000)) },
];
