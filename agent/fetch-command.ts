// What jobs find under the name `curl` on a device that has neither curl nor wget: `agent.mjs fetch`, which knows the
// few options that a download needs.
import { createWriteStream, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Options of curl that take a value and change nothing here. */
const TAKES_VALUE = new Set(['--retry', '--retry-delay', '--max-time', '--connect-timeout', '--proto', '-m']);

interface Download {
  url: string;
  output: string | undefined;
}

/** Reads a curl command line: the address and where it goes. */
export function readFetchArguments(args: string[]): Download | undefined {
  let url: string | undefined;
  let output: string | undefined;
  for (let index = 0; index < args.length; index += 1) {
    const argument = args[index] ?? '';
    if (TAKES_VALUE.has(argument)) index += 1;
    else if (argument === '--output') output = args[++index];
    // Short options may stand together, the one with a value last: -fsSLo FILE.
    else if (/^-[a-zA-Z]*o$/.test(argument)) output = args[++index];
    else if (!argument.startsWith('-')) url = argument;
  }
  return url === undefined ? undefined : { url, output };
}

/** Downloads, as `curl -fsSL` would; returns the exit code (curl's own: 22 for an error answer, 7 without one). */
export async function runFetch(args: string[]): Promise<number> {
  const download = readFetchArguments(args);
  if (!download || !URL.canParse(download.url)) {
    process.stderr.write('muster-agent fetch: needs an address: fetch [-o FILE] URL\n');
    return 2;
  }
  try {
    const response = await fetch(download.url);
    if (!response.ok || !response.body) {
      process.stderr.write(`muster-agent fetch: the service answered ${response.status} ${response.statusText}\n`);
      return 22;
    }
    const target = download.output && download.output !== '-' ? createWriteStream(download.output) : process.stdout;
    await pipeline(Readable.fromWeb(response.body), target, { end: target !== process.stdout });
    return 0;
  } catch (error) {
    const { cause, message } = error as Error;
    process.stderr.write(`muster-agent fetch: ${cause instanceof Error ? cause.message : message}\n`);
    return 7;
  }
}

const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/**
 * A folder with a `curl` of our own in it, or undefined where the device has one or wget. It is searched last, so that
 * one installed later goes first.
 */
export function curlFolder(own: string, command: string[]): string | undefined {
  const has = (name: string) =>
    (process.env['PATH'] ?? '').split(':').some((folder) => folder !== '' && existsSync(path.join(folder, name)));
  if (has('curl') || has('wget')) return undefined;
  mkdirSync(own, { recursive: true, mode: 0o700 });
  writeFileSync(path.join(own, 'curl'), `#!/bin/sh\nexec ${command.map(quote).join(' ')} fetch "$@"\n`, {
    mode: 0o755,
  });
  return own;
}
