// Commands in the real shells of this machine: whatever people name files, folders and commands, each value is a word,
// and only the artifact runs.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import * as fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { tar } from '#/contract/test-tar.ts';
import { holds, wellFormedText } from '../../scripts/test-property.ts';
import { CommandTest, FETCHERS, SHELLS } from '../test-command.ts';
import { artifactCommand, shellQuote } from './artifact-command.ts';

const at = new CommandTest();
after(() => at.remove());
beforeEach(() => at.clear());

/** Would leave a file wherever the shell acted on it. */
const CODE = [
  '$(>HACKED)',
  '`>HACKED`',
  "';>HACKED;'",
  '";>HACKED;"',
  '\n>HACKED\n',
  '&>HACKED',
  '|>HACKED',
  '${x:=$(>HACKED)}',
  '\\\n',
  '~',
  '*',
  '-rf',
  '!!',
  '%s',
  '$IFS',
];
const value = fc
  .array(fc.oneof({ weight: 1, arbitrary: fc.constantFrom(...CODE) }, { weight: 1, arbitrary: wellFormedText(6) }), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.join('').replaceAll('\0', ''));
const bytesIn = (text: string) => Buffer.byteLength(text);
/** What a file may be named, as the upload has it. */
const fileName = value
  // oxlint-disable-next-line no-control-regex
  .map((text) => text.replace(/[/\\\u0000-\u001f\u007f]/g, '_'))
  .filter((text) => text !== '' && text !== '.' && text !== '..' && bytesIn(text) <= 200);
/** A folder with the name of a value. */
const folderName = value
  .map((text) => text.replaceAll('/', '_'))
  .filter((text) => text !== '' && text !== '.' && text !== '..' && bytesIn(text) <= 200);

let url = '';
const server = createServer((_request, response) => response.end(at.served));
before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/download/a1?expires=9&token='t$(>HACKED)`;
});
after(() => server.close());

const tools = at.pathOf(FETCHERS[0] ?? '', 'sha256sum');
async function run(command: string, shell: string[]) {
  const ran = await at.run(command, { tools, shell });
  assert.deepEqual(readdirSync(at.temporary), [], 'nothing stays in the temporary folder');
  return ran;
}

for (const shell of SHELLS) {
  test(`in ${shell.join(' ')}: a quoted value is one word, as it is`, () =>
    holds(
      6,
      fc.asyncProperty(fc.array(value, { minLength: 1, maxLength: 20 }), async (values) => {
        const ran = await run(`printf '%s\\0' ${values.map(shellQuote).join(' ')}`, shell);
        assert.deepEqual(ran, { code: 0, stdout: values.map((each) => `${each}\0`).join(''), stderr: '' });
        assert.deepEqual(readdirSync(at.cwd), []);
      }),
    ));

  test(`in ${shell.join(' ')}: a script of any name, in any folder, with any command`, () =>
    holds(
      4,
      fc.asyncProperty(fileName, folderName, fc.boolean(), value, async (name, folder, isAbsolute, word) => {
        const destination = isAbsolute ? path.join(at.home, 'to', folder) : folder;
        // "~" is the home folder, by design.
        fc.pre(isAbsolute || !/^~(\/|$)/.test(folder));
        const body = 'for word; do printf "<%s>" "$word"; done; pwd >"$OUT"; exit 7\n';
        const source = {
          ...at.source(Buffer.from(body)),
          name,
          isScript: true,
          destination,
          runCommand: `sh ${shellQuote(`./${name}`)} ${shellQuote(word)} ''`,
        };
        const to = path.join(isAbsolute ? '' : at.cwd, destination);
        const ran = await run(
          `OUT=${shellQuote(path.join(at.home, 'out'))}; export OUT; ${artifactCommand(source, url)}`,
          shell,
        );
        assert.deepEqual(ran, { code: 7, stdout: `<${word}><>`, stderr: '' });
        assert.equal(readFileSync(path.join(at.home, 'out'), 'utf8'), `${to}\n`);
        assert.deepEqual(readdirSync(to), [name]);
        assert.equal(readFileSync(path.join(to, name), 'utf8'), body);
        assert.deepEqual(readdirSync(at.cwd), isAbsolute ? [] : [folder]);
        at.clear();
        rmSync(path.join(at.home, 'to'), { recursive: true, force: true });
      }),
    ));

  test(`in ${shell.join(' ')}: an archive of any name with update.sh in any folder`, () =>
    holds(
      4,
      fc.asyncProperty(fileName, folderName, async (name, folder) => {
        fc.pre(bytesIn(folder) < 90);
        const update = { path: `${folder}/update.sh`, body: 'cat data; exit 3\n' };
        const source = { ...at.source(gzipSync(tar(update, { path: `${folder}/data`, body: 'read' }))), name, folder };
        assert.deepEqual(await run(artifactCommand(source, url), shell), { code: 3, stdout: 'read', stderr: '' });
        assert.deepEqual(readdirSync(at.cwd), []);
      }),
    ));

  test(`in ${shell.join(' ')}: what fails says so with the names as they are, and runs nothing`, () =>
    holds(
      4,
      fc.asyncProperty(fileName, folderName, value, async (name, folder, runCommand) => {
        const source = {
          ...at.source(Buffer.from('>HACKED\n')),
          name,
          isScript: true,
          destination: path.join(at.home, 'to', folder),
          runCommand,
        };
        const changed = await run(artifactCommand({ ...source, sha256: '0'.repeat(64) }, url), shell);
        assert.deepEqual(changed, {
          code: 1,
          stdout: '',
          stderr: `${name} arrived changed: its SHA-256 is not the one of the upload. Nothing was run.\n`,
        });
        assert.deepEqual(readdirSync(source.destination), []);
        rmSync(source.destination, { recursive: true });
        writeFileSync(source.destination, 'a file');
        const inTheWay = await run(artifactCommand(source, url), shell);
        assert.deepEqual([inTheWay.code, inTheWay.stdout], [1, '']);
        assert.ok(inTheWay.stderr.endsWith(`Cannot use the folder ${source.destination}.\n`), inTheWay.stderr);
        assert.deepEqual(readdirSync(at.cwd), []);
        rmSync(path.join(at.home, 'to'), { recursive: true });
      }),
    ));
}
