// What the agent allows a job to unpack and run: exactly the uploaded bytes, and no archive that the service refuses.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { HOSTILE_ARCHIVES, SEVERAL_MEMBERS } from '#/contract/hostile-archives.ts';
import { gzip, tar } from '#/contract/test-tar.ts';
import { archiveFault } from './check-command.ts';
import { jobPrograms } from './supervise.ts';
import { testFolder, type TestFolder } from './test-folder.ts';

let at: TestFolder;
before(() => {
  at = testFolder();
});
after(() => at.remove());

const faultOf = async (bytes: Uint8Array) => {
  const where = path.join(at.data, 'archive');
  writeFileSync(where, bytes);
  const file = await open(where);
  try {
    return await archiveFault(file);
  } finally {
    await file.close();
  }
};

// The service's tests cover the huge archives with the same code.
for (const { name, says, bytes } of HOSTILE_ARCHIVES.filter((one) => !/more (than|entries)/.test(one.name)))
  test(`refused: ${name}`, async () => assert.match((await faultOf(await bytes())) ?? '', says));

for (const { name, bytes } of SEVERAL_MEMBERS)
  test(`accepted: ${name}`, async () => assert.equal(await faultOf(await bytes()), undefined));

test('the program that jobs are given accepts the upload, and refuses other bytes and hostile archives', async () => {
  const { MUSTER_CHECK } = jobPrograms(path.join(at.data, "it's here"), [
    process.execPath,
    path.join(import.meta.dirname, 'main.ts'),
  ]);
  const check = (bytes: Uint8Array, kind: string, sha256 = createHash('sha256').update(bytes).digest('hex')) =>
    new Promise<{ code: number; stderr: string }>((resolve) => {
      const file = path.join(at.data, 'artifact');
      writeFileSync(file, bytes);
      execFile('sh', [MUSTER_CHECK, sha256, kind, file, 'app'], (error, _stdout, stderr) =>
        resolve({ code: error ? Number(error.code) : 0, stderr }),
      );
    });
  const good = await gzip(tar({ path: 'update.sh', body: 'echo\n' }));
  const hostile = await gzip(tar({ path: 'update.sh', body: 'echo\n' }, { path: '../evil' }));
  assert.deepEqual(await check(good, 'tar.gz'), { code: 0, stderr: '' });
  assert.deepEqual(await check(hostile, 'script'), { code: 0, stderr: '' });
  const changed = await check(good, 'tar.gz', 'ab'.repeat(32));
  assert.deepEqual(changed, { code: 1, stderr: 'app arrived changed: its SHA-256 is not the one of the upload.\n' });
  const refused = await check(hostile, 'tar.gz');
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^app may not be unpacked: the archive holds "\.\.\/evil", which leads out/);
});
