// Machines for the agent of plain sh: folders of programs that PATH is set to, and root folders.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import path from 'node:path';
import { find } from '../../agent/sh/test-busybox.ts';
import { NotTried } from './build.ts';
import { OPENWRT_APPLETS } from './openwrt.ts';

/** What is put before a command to have it run on the machine. */
export type Machine = string[];

/** The file of a program, from the Debian package of the same name unless told otherwise. */
export function need(program: string, from = program): string {
  const file = existsSync(program) ? program : find(program);
  if (file === undefined) throw new NotTried(`${path.basename(program)} is not on this machine (apt install ${from})`);
  return file;
}

/** What Debian calls its version. */
export const packaged = (name: string, root = '/') =>
  spawnSync('dpkg-query', ['--root', root, '-W', '-f', '${Version}', name], { encoding: 'utf8' }).stdout.replace(
    /[+~]deb.*$/,
    '',
  );

const CLIENTS = ['curl', 'wget', 'wget2', 'uclient-fetch'];

/** Debian's programs except clients, with these in place of those of the same names. */
export function withPrograms(base: string, programs: Record<string, string>): Machine {
  const folder = mkdtempSync(path.join(base, 'bin-'));
  for (const [name, file] of Object.entries(programs)) symlinkSync(file, path.join(folder, name));
  for (const from of ['/usr/bin', '/bin', '/usr/sbin', '/sbin'])
    for (const name of readdirSync(from))
      if (!CLIENTS.includes(name) && !existsSync(path.join(folder, name)))
        symlinkSync(path.join(from, name), path.join(folder, name));
  return ['env', `PATH=${folder}`];
}

/** These programs alone. */
export function withOnly(base: string, programs: Record<string, string>): Machine {
  const folder = mkdtempSync(path.join(base, 'bin-'));
  for (const [name, file] of Object.entries(programs)) symlinkSync(file, path.join(folder, name));
  return ['env', `PATH=${folder}`];
}

/** Each of these names is this program. */
export const all = (names: readonly string[], file: string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, file]));

/** With the folder of the trial at the same place, and with /proc and /dev. */
export function inRoot(root: string, base: string): Machine {
  if (process.getuid?.() !== 0) throw new NotTried('root folders need root');
  need('unshare', 'util-linux');
  for (const folder of ['proc', 'dev', 'tmp', base]) mkdirSync(path.join(root, folder), { recursive: true });
  const mounts = 'mount --rbind /proc "$0/proc" && mount --rbind /dev "$0/dev" && mount --bind "$1" "$0$1"';
  return [
    'unshare',
    '-m',
    'sh',
    '-c',
    `${mounts} && root=$0 && shift && exec chroot "$root" env PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"`,
    root,
    base,
  ];
}

/** Nothing but BusyBox, the loader of musl and these files. */
export function openwrtRoot(base: string, busybox: string, files: Record<string, string>): string {
  const root = mkdtempSync(path.join(base, 'root-'));
  for (const folder of ['bin', 'lib', 'usr/bin', 'etc/crontabs', 'root'])
    mkdirSync(path.join(root, folder), { recursive: true });
  copyFileSync(busybox, path.join(root, 'bin/busybox'));
  for (const name of OPENWRT_APPLETS) symlinkSync('busybox', path.join(root, 'bin', name));
  // Its package manager, which the installer only names.
  symlinkSync('busybox', path.join(root, 'bin/opkg'));
  copyFileSync(need('/lib/ld-musl-x86_64.so.1', 'musl'), path.join(root, 'lib/ld-musl-x86_64.so.1'));
  for (const [name, file] of Object.entries(files)) copyFileSync(file, path.join(root, 'usr/bin', name));
  return root;
}

/** A root folder of Debian for another processor, which qemu runs. It is kept for the next time. */
export function foreignRoot(folder: string, arch: string, suite: string, qemu: string): string {
  const root = path.join(folder, arch);
  need(`qemu-${qemu}-static`, 'qemu-user-static');
  if (!existsSync(`/proc/sys/fs/binfmt_misc/qemu-${qemu}`))
    throw new NotTried(
      `this machine does not start programs for ${arch} by qemu (apt install binfmt-support qemu-user-static)`,
    );
  if (existsSync(root)) return root;
  need('debootstrap');
  console.log(`Making a root folder of ${suite} for ${arch} …`);
  mkdirSync(folder, { recursive: true });
  rmSync(`${root}.part`, { recursive: true, force: true });
  try {
    const args = [`--arch=${arch}`, '--variant=minbase', '--include=curl', suite, `${root}.part`];
    execFileSync('debootstrap', args, { stdio: 'pipe', maxBuffer: 1 << 28 });
  } catch (cause) {
    throw new NotTried(`debootstrap failed; ${root}.part/debootstrap/debootstrap.log says why`, { cause });
  }
  renameSync(`${root}.part`, root);
  return root;
}
