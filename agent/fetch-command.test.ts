// The download program that jobs find where a device has neither curl nor wget.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { fetchProgram } from './fetch-command.ts';
import { testFolder } from './test-folder.ts';

test('it downloads a file byte by byte, and fails with a reason', async () => {
  const at = testFolder();
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, n) => n % 256));
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/there?a=b&c' ? 200 : 404).end(request.url === '/there?a=b&c' ? bytes : 'no');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const main = path.join(import.meta.dirname, 'main.ts');
  const program = fetchProgram(path.join(at.data, "it's here"), [process.execPath, main]);
  const run = (...args: string[]): Promise<{ code: number; stderr: string }> =>
    new Promise((resolve) => {
      execFile(program, args, (error, _stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stderr }));
    });
  const file = path.join(at.data, 'file');
  assert.deepEqual(await run(`${url}/there?a=b&c`, file), { code: 0, stderr: '' });
  assert.deepEqual(readFileSync(file), bytes);

  const missing = await run(`${url}/gone`, path.join(at.data, 'none'));
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /answered 404/);
  assert.ok(!existsSync(path.join(at.data, 'none')));
  server.close();
  await once(server, 'close');
  assert.match((await run(`${url}/there?a=b&c`, file)).stderr, /ECONNREFUSED/);
  assert.equal((await run()).code, 1);
  at.remove();
});
