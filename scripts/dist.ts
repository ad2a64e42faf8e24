// dist/ as a whole: the dashboard and, in dist/agent/, the two agents as one file each for devices that have no clone.
// Both are built into a folder beside it that then takes its place, so a running service never serves half a build.
// Node.js for devices is packed beside it (runtime-files.ts).
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import type { Plugin } from 'vite';
import { weigh } from './budget.ts';
import { fingerprint } from './fingerprint.ts';
import { precompress } from './precompress.ts';
import { packInstalled, runtimeVersion } from './runtime-files.ts';
import { shellAgent } from './shell-agent.ts';

const root = dirname(import.meta.dirname);
const dist = join(root, 'dist');
const STAMP = '.built-from';
const OVER_BUDGET = '.over-budget';
const SOURCES = [
  'index.html',
  'src',
  'public',
  'agent',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'vite.config.ts',
  'scripts/budget.ts',
  'scripts/dist.ts',
  'scripts/first-load.ts',
  'scripts/precompress.ts',
  'scripts/runtime-files.ts',
  'scripts/shell-agent.ts',
  'scripts/shared-modules.ts',
  'scripts/unused-components.ts',
  'scripts/visible-text.ts',
];

/** Builds only what `npm start` and the tests need: nothing at all when dist/ already matches the sources. */
export async function buildIfStale(): Promise<void> {
  if (isFresh()) return;
  process.stderr.write('Building the dashboard …\n');
  await buildDist({ verbose: false });
}

/** Builds dist/ anew. A failure leaves the dist/ that was there as it is. */
export async function buildDist({ verbose }: { verbose: boolean }): Promise<void> {
  // Loaded here and not above: it takes longer to load than the service takes to start.
  const { build } = await import('vite');
  // Taken first: an edit made while the build runs must make the next start build again.
  const builtFrom = sources();
  const outDir = join(root, '.cache', `build-${process.pid}`);
  const common = { root, logLevel: verbose ? 'info' : 'warn', clearScreen: false } as const;
  // It compresses in threads of its own while the rest is built.
  const packed = packInstalled().then(
    () => undefined,
    (cause: unknown) => cause,
  );
  try {
    await build({
      ...common,
      configFile: join(root, 'vite.config.ts'),
      build: { outDir, emptyOutDir: true, manifest: true },
    });
    const { sizes, over } = weigh(outDir);
    if (verbose) process.stdout.write(`${sizes}\n`);
    rmSync(join(outDir, '.vite'), { recursive: true });
    await buildAgents(join(outDir, 'agent'), common.logLevel);
    await precompress(outDir);
    const fault = await packed;
    if (fault instanceof Error) process.stderr.write(`Node.js for devices could not be packed: ${fault.message}\n`);
    if (over) {
      process.stderr.write(`${over}\n`);
      writeFileSync(join(outDir, OVER_BUDGET), over);
    }
    writeFileSync(join(outDir, STAMP), builtFrom);
    replaceDist(outDir);
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
}

/** What an agent loads only where a proxy is in between. */
const ONLY_WITH_PROXY = /[\\/](?:agent[\\/]proxy-client\.ts|node_modules[\\/](?:https-proxy-agent|agent-base)[\\/].*)$/;

/**
 * In one file, what a module imports of Node itself is imported at the start of the program, even if that module is loaded
 * later; `import "node:http"` alone costs 5 MB of memory. Required, it is loaded with its module. And no log for developers:
 * it prints the login of the proxy.
 */
const lateBuiltins: Plugin = {
  name: 'late-builtins',
  enforce: 'pre',
  resolveId: (source, importer = '') => {
    if (!ONLY_WITH_PROXY.test(importer)) return undefined;
    if (source === 'debug') return '\0silent';
    return isBuiltin(source) ? `\0late:${source.replace(/^node:/, '')}` : undefined;
  },
  load: (id) => {
    if (id === '\0silent') return 'export default () => () => {};';
    return id.startsWith('\0late:') ? `module.exports = require('node:${id.slice(6)}');` : undefined;
  },
};

/** Builds both agents into this folder. */
export async function buildAgents(outDir: string, logLevel: 'info' | 'warn' = 'warn'): Promise<void> {
  const { build } = await import('vite');
  await build({
    root,
    logLevel,
    clearScreen: false,
    configFile: false,
    publicDir: false,
    ssr: { noExternal: true },
    plugins: [lateBuiltins],
    build: {
      outDir,
      emptyOutDir: false,
      ssr: join(root, 'agent/main.ts'),
      target: 'node20',
      minify: false, // it is read by the people who are asked to run it on their devices
      rolldownOptions: {
        // What ws speeds itself up with if a device happens to have it.
        external: ['bufferutil', 'utf-8-validate'],
        output: {
          entryFileNames: 'agent.mjs',
          codeSplitting: false,
          // With another Node.js it is another build, which agents then update to.
          banner: `#!/usr/bin/env node\n// Brought with Node.js ${runtimeVersion()} where a device has none.`,
        },
      },
    },
  });
  writeFileSync(join(outDir, 'agent.sh'), shellAgent());
}

/** With the address that is built in for a file host: `npm start` must not serve what was built for another API. */
const sources = () => [fingerprint(root, SOURCES), process.env['DASHBOARD_API']?.trim()].filter(Boolean).join(' ');

function isFresh(): boolean {
  const stamp = join(dist, STAMP);
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === sources();
}

/**
 * Fails for a build over its budget. Only the tests call it: bytes of gzip differ a little between platforms, and what is
 * over by a few must not keep a service from starting.
 */
export function requireBudget(): void {
  const report = join(dist, OVER_BUDGET);
  if (existsSync(report)) throw new Error(readFileSync(report, 'utf8'));
}

/** Puts the built folder in the place of dist/. Of two builds that end at once each wins a round; either result is right. */
function replaceDist(built: string): void {
  const old = `${built}-replaced`;
  for (let round = 1; ; round++) {
    try {
      if (existsSync(dist)) renameSync(dist, old);
      renameSync(built, dist);
      break;
    } catch (error) {
      if (round === 5) throw error;
    } finally {
      rmSync(old, { recursive: true, force: true });
    }
  }
}
