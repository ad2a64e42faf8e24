// Archived jobs without a browser: sealed and opened again, as a ZIP file and back, and searched.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { job as jobSchema } from '#/contract/jobs.ts';
import { pieceOf, Sealer, unpackRows } from './archived-job.ts';
import { JobSearch } from './archive-search.ts';
import { addToZip, jobsIn, safeName } from './archive-zip.ts';
import { readZipEntries, readZipText } from '#/lib/zip-read.ts';
import { ZipWriter } from '#/lib/zip-write.ts';

const parent = jobSchema.parse({
  JobId: 'p1',
  JobName: '../../etc/<b>update</b>',
  DeviceGroup: 'lab',
  Command: "curl 'https://x.example/a?token=kJ8s0QweRt5YuIo7PaSd&v=1'",
  Counts: { Succeeded: 2, Failed: 1 },
});
const child = (name: string, Stdout: string, Status = 'Succeeded') =>
  jobSchema.parse({
    JobId: name,
    DeviceName: name,
    DeviceId: `id-${name}`,
    Status,
    Stdout,
    Stderr: '',
    Result: Stdout,
  });

async function sealed(...children: ReturnType<typeof child>[]) {
  const sealer = new Sealer(parent);
  for (const each of children) await sealer.add(each);
  return sealer.seal(1_790_000_000_000);
}

async function allIn(...files: (Blob | File)[]) {
  const all = [];
  const named = files.map((file) => (file instanceof File ? file : new File([file], 'archive.zip')));
  for await (const { sealed: each } of jobsIn(named)) all.push(each);
  return all;
}

test('a job is sealed in pieces, its rows without output and its secrets masked', async () => {
  const long = 'x'.repeat(600_000);
  const { head, rows, outputs } = await sealed(child('a', long), child('b', long), child('c', long, 'Failed'));
  assert.deepEqual(head.pieces, [0, 2]);
  assert.equal(outputs.length, 2);
  assert.equal(head.size, 3 * long.length);
  assert.deepEqual(head.outcome, { Succeeded: 2, Failed: 1 });
  assert.equal(head.devices, 3);
  assert.ok(!head.job.Command.includes('kJ8s0QweRt5YuIo7PaSd'));
  assert.deepEqual(
    (await unpackRows(rows)).map(({ JobId, Stdout, Result }) => [JobId, Stdout, Result]),
    [
      ['a', undefined, ''],
      ['b', undefined, ''],
      ['c', undefined, ''],
    ],
  );
  assert.equal(pieceOf(head, 1), 0);
  assert.equal(pieceOf(head, 2), 1);
  assert.equal((await unpackRows(outputs[1] ?? new Uint8Array()))[0]?.Stdout, long);
});

test('a job to one device is its own row', async () => {
  const sealer = new Sealer(child('solo', 'hello'));
  await sealer.add(child('solo', 'hello'));
  const { head, outputs } = await sealer.seal();
  assert.equal(head.job.Stdout, undefined);
  assert.equal(head.devices, 1);
  assert.equal((await unpackRows(outputs[0] ?? new Uint8Array()))[0]?.Stdout, 'hello');
});

test('names of files are safe', () => {
  assert.equal(safeName('../../etc/passwd'), 'etc-passwd');
  assert.equal(safeName('C:\\windows\u202e\u0000.'), 'C-windows');
  assert.equal(safeName('…'), 'unnamed');
  assert.equal(safeName('größe 7'), 'größe-7');
  assert.ok(safeName('x'.repeat(500)).length <= 60);
});

test('a ZIP file holds JSON and text, and is read back as the same job', async () => {
  const before = await sealed(child('one', 'fine\n'), child('two/..', 'No space left on device\n', 'Failed'));
  const zip = new ZipWriter();
  await addToZip(zip, before, 1);
  const file = zip.finish();
  assert.deepEqual(
    (await readZipEntries(file)).map(({ name }) => name),
    [
      '0001-etc-b-update-b/job.json',
      '0001-etc-b-update-b/output-1.json',
      '0001-etc-b-update-b/00001-one.stdout.txt',
      '0001-etc-b-update-b/00002-two.stdout.txt',
    ],
  );
  const [back, ...more] = await allIn(file);
  assert.equal(more.length, 0);
  assert.deepEqual(back?.head, before.head);
  assert.deepEqual(back?.rows, before.rows);

  // The same, unpacked: all files of its folder, and not without the output.
  const unpacked = [];
  for (const entry of await readZipEntries(file))
    unpacked.push(new File([await readZipText(file, entry, 1e6)], entry.name.replace(/^.*\//, '')));
  const [again] = await allIn(...unpacked);
  assert.deepEqual(again?.head, before.head);
  await assert.rejects(allIn(...unpacked.filter(({ name }) => name === 'job.json')), /choose all files of the job/);
});

test('a file that is no archive is refused', async () => {
  const refused = async (files: Record<string, string>, message: RegExp) => {
    const zip = new ZipWriter();
    for (const [name, text] of Object.entries(files)) await zip.add(name, text);
    await assert.rejects(allIn(zip.finish()), message);
  };
  await refused({ 'readme.txt': 'hello' }, /no archived job/);
  await refused({ 'a/job.json': '{' }, /damaged/);
  await refused({ 'a/job.json': '{"format":"other"}' }, /something else/);
  await refused({ 'a/job.json': '{"format":"muster-archive","job":{}}' }, /without an id/);
});

test('finds a word in names, devices and output, with the line', () => {
  const rows = [child('camera-7', 'one\ntwo: NO SPACE left\nthree'), child('lamp', 'fine')];
  const search = (needle: string) => {
    const looking = new JobSearch('p1', needle, ['Nightly update', 'Group lab']);
    looking.devices(rows);
    looking.output(rows, 10);
    return looking;
  };
  assert.deepEqual(search('no space').hit, {
    id: 'p1',
    named: false,
    devices: 0,
    logs: 1,
    lines: [{ row: 10, device: 'camera-7', stream: 'stdout', line: 2, text: 'two: NO SPACE left' }],
  });
  assert.equal(search('camera').hit.devices, 1);
  assert.equal(search('nightly').hit.named, true);
  assert.equal(search('nowhere').found, false);
});
