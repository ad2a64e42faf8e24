// Uploads: the same bytes give the same artifact however they are split on their way, and whatever is damaged is
// answered with a 4xx and leaves nothing behind.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import * as fc from 'fast-check';
import { cut, cuts, holds, wellFormedText } from '../../scripts/test-property.ts';
import { Problem } from '../http/problem.ts';
import { emptyArriving, receiveFile } from '../store/artifact-files.ts';
import type { ArtifactFiles } from '../store/artifact-files.ts';
import { readUpload } from './upload.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'muster-upload-'));
emptyArriving(folder);
const arriving = () => readdirSync(path.join(folder, 'artifacts/arriving'));
const MOST = 100_000;
const files = {
  receive: (bytes, limit) => receiveFile(folder, bytes, limit),
  discard: async ({ file }) => rmSync(file, { force: true }),
} as Pick<ArtifactFiles, 'receive' | 'discard'> as ArtifactFiles;

interface Answer {
  status: number;
  fields?: Record<string, string>;
  name?: string;
  sha256?: string;
}
const server = createServer((request, response) => {
  const rules = { accountId: 1, most: MOST, fields: ['size', 'version', 'note'], giveUp: new AbortController().signal };
  readUpload(request, files, rules).then(
    async ({ fields, name, received }) => {
      await files.discard(received);
      response.end(JSON.stringify({ status: 200, fields, name, sha256: received.sha256 } satisfies Answer));
    },
    (cause: unknown) => {
      const status = cause instanceof Problem ? cause.status : 500;
      response.setHeader('Connection', 'close').end(JSON.stringify({ status } satisfies Answer));
    },
  );
});
let port = 0;
before(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
after(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const BOUNDARY = 'x-boundary';
/** Sends a body in these parts, each in a packet of its own, and returns the answer. */
async function send(parts: Buffer[]): Promise<Answer> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  socket.on('error', () => {});
  await once(socket, 'connect');
  socket.write(
    `POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: multipart/form-data; boundary=${BOUNDARY}\r\nContent-Length: ${length}\r\n\r\n`,
  );
  const answer: Buffer[] = [];
  socket.on('data', (part: Buffer) => answer.push(part));
  const over = new Promise((resolve) => socket.once('close', resolve));
  // An upload without an answer fails as one, with the bytes that led to it.
  const late = setTimeout(() => socket.destroy(), 30_000);
  for (const part of parts) {
    socket.write(part);
    await new Promise(setImmediate);
  }
  await over;
  clearTimeout(late);
  return JSON.parse(/\{.*\}/s.exec(Buffer.concat(answer).toString())?.[0] ?? '{"status":0}') as Answer;
}

const text = wellFormedText(30).filter((value) => !value.includes(BOUNDARY));
const content = fc.oneof(
  fc.uint8Array({ minLength: 1, maxLength: 60 }),
  // Almost a boundary, and line ends where one could begin.
  fc
    .array(
      fc.constantFrom('\r\n', '\r', '\n', '--', `\r\n--${BOUNDARY.slice(0, -1)}`, '\r\n--', 'x'.repeat(70), BOUNDARY),
      { minLength: 1, maxLength: 8 },
    )
    .map((some) => some.join(''))
    .filter((some) => !`\r\n${some}`.includes(`\r\n--${BOUNDARY}`))
    .map((some) => new Uint8Array(Buffer.from(some))),
);
const fileName = fc.constantFrom('a.sh', 'größe 東京.sh', 'a b;c.sh', "it's.sh", '..x');
function bodyOf(fields: Record<string, string>, name: string, bytes: Uint8Array, isFirst: boolean): Buffer {
  const part = (head: string, value: string | Uint8Array) =>
    Buffer.concat([
      Buffer.from(`--${BOUNDARY}\r\nContent-Disposition: form-data; ${head}\r\n\r\n`),
      Buffer.from(value as string),
      Buffer.from('\r\n'),
    ]);
  const file = part(`name="file"; filename="${name}"`, bytes);
  const others = Object.entries(fields).map(([field, value]) => part(`name="${field}"`, value));
  return Buffer.concat([...(isFirst ? [file, ...others] : [...others, file]), Buffer.from(`--${BOUNDARY}--\r\n`)]);
}
const form = fc.record({ size: text, version: text, note: text }, { noNullPrototype: true });

test('in any parts the same fields and the same file arrive', () =>
  holds(
    12,
    fc.asyncProperty(form, fileName, content, fc.boolean(), cuts(), async (fields, name, bytes, isFirst, at) => {
      const answer = await send(cut(bodyOf(fields, name, bytes, isFirst), at));
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      assert.deepEqual(answer, { status: 200, fields, name, sha256 });
      assert.deepEqual(arriving(), []);
    }),
  ));

test('a body that ends too early is a 400, wherever it ends, and leaves nothing', () =>
  holds(
    12,
    fc.asyncProperty(
      form,
      content,
      fc.boolean(),
      fc.nat(1_000_000),
      cuts(4),
      async (fields, bytes, isFirst, end, at) => {
        const whole = bodyOf(fields, 'a.sh', bytes, isFirst);
        // Without the two dashes of the last boundary the form does not end.
        const part = whole.subarray(0, end % (whole.length - 3));
        assert.deepEqual(await send(cut(part, at)), { status: 400 });
        assert.deepEqual(arriving(), []);
      },
    ),
  ));

test('changed bytes are another form or a refusal, in any parts the same, and leave nothing', () =>
  holds(
    12,
    fc.asyncProperty(
      form,
      content,
      fc.array(fc.tuple(fc.nat(1_000_000), fc.nat(255)), { minLength: 1, maxLength: 4 }),
      cuts(4),
      async (fields, bytes, changes, at) => {
        const body = bodyOf(fields, 'a.sh', bytes, true);
        for (const [where, byte] of changes) body[where % body.length] = byte;
        const answer = await send(cut(body, at));
        assert.ok(answer.status === 200 || answer.status === 400, String(answer.status));
        assert.deepEqual(await send([body]), answer);
        assert.deepEqual(arriving(), []);
      },
    ),
  ));
