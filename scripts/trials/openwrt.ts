// What the BusyBox of a stock OpenWrt can do, as openwrt-busybox.txt lists it.
import { readFileSync } from 'node:fs';
import path from 'node:path';

const [applets = [], switches = []] = readFileSync(path.join(import.meta.dirname, 'openwrt-busybox.txt'), 'utf8')
  .split('# Switches\n')
  .map((part) => part.replaceAll(/^#.*$/gm, '').split(/\s+/).filter(Boolean));

export const OPENWRT_APPLETS: readonly string[] = applets;

/** What the build calls them; the shell is set by switches of its own. */
const SYMBOLS: Record<string, string> = { '[': 'TEST1', '[[': 'TEST2', sh: 'SH_IS_ASH', sysctl: 'BB_SYSCTL' };
export const OPENWRT_SYMBOLS: readonly string[] = [
  ...applets.map((name) => SYMBOLS[name] ?? name.toUpperCase().replaceAll('-', '_')),
  ...switches,
];
