import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { waitFor } from '#/lib/pace.ts';
import { AddRun } from './add-run.ts';
import { TestService, lost, ordered, refused } from './test-service.ts';

const NONE = new Set<string>();
const states = (run: AddRun) => run.get().entries.map(({ state }) => state);

test('a row goes step by step, and only the steps it has something for', async () => {
  const service = new TestService();
  service.tagNames.set('old', 't-old');
  const run = new AddRun(service.api);
  const rows = ordered(
    { name: 'pump', group: 'north', customer: 'ACME', site: 'Hall 1', lat: '52.5', lng: '13.4', tags: 'old; new' },
    { name: 'bare' },
  );
  await run.add(rows, NONE);
  assert.deepEqual(
    service.calls.filter((call) => call !== 'create bare'),
    [
      'create pump',
      'update id1 {"CustomerName":"ACME","CustomerSite":"Hall 1"}',
      'locate id1 {"Lat":52.5,"Lng":13.4}',
      'tags',
      'attach id1 t-old',
      'createTag new',
      'tags',
      'attach id1 t-new',
    ],
  );
  const { entries, running, ending } = run.get();
  assert.deepEqual(
    entries.map(({ state, id, key }) => ({ state, id, key })),
    [
      { state: 'done', id: 'id1', key: 'key of id1' },
      { state: 'done', id: 'id2', key: 'key of id2' },
    ],
  );
  assert.deepEqual({ running, ending }, { running: false, ending: undefined });
});

test('a few rows at a time, in order, and a missing tag is made once for all of them', async () => {
  const service = new TestService();
  const run = new AddRun(service.api);
  const names = Array.from({ length: 40 }, (_, number) => `d${number}`);
  await run.add(ordered(...names.map((name) => ({ name, tags: 'fresh' }))), NONE);
  assert.equal(service.busiest, 4);
  assert.deepEqual(
    service.calls.filter((call) => call.startsWith('create ')),
    names.map((name) => `create ${name}`),
  );
  assert.equal(service.calls.filter((call) => call === 'createTag fresh').length, 1);
  assert.equal(service.attached.length, 40);
});

test('a failed step leaves the others to be done, and retry does exactly what is missing', async () => {
  const service = new TestService();
  service.trouble = (call) => (call === 'locate' ? { before: refused(500) } : undefined);
  const run = new AddRun(service.api);
  const rows = ordered({ name: 'a', site: 'S', lat: '1', lng: '2', tags: 'x' }, { name: 'b' });
  await run.add(rows, NONE);
  const [entry] = run.get().entries;
  assert.deepEqual(entry?.missing, ['location']);
  assert.equal(entry?.state, 'failed');
  assert.equal(entry?.key, 'key of id1');
  assert.match(entry?.faults[0]?.text ?? '', /because 500/);
  service.trouble = () => undefined;
  service.calls.length = 0;
  await run.retry();
  assert.deepEqual(service.calls, ['locate id1 {"Lat":1,"Lng":2}']);
  assert.deepEqual(states(run), ['done', 'done']);
});

test('"later" is waited for and asked again; other refusals are not', async () => {
  const random = mock.method(Math, 'random', () => 1);
  const service = new TestService();
  const answers = [refused(429, '7'), refused(503, '2'), refused(429)];
  service.trouble = (call, name) => {
    if (call !== 'create') return undefined;
    if (name === 'bad') return { before: refused(400) };
    const before = answers.shift();
    return before ? { before } : undefined;
  };
  const run = new AddRun(service.api);
  await run.add(ordered({ name: 'a' }), NONE);
  random.mock.restore();
  // A Retry-After and then the jitter, or without one the jitter alone.
  assert.deepEqual(service.slept, [7_500, 3_000, 2_000]);
  assert.deepEqual(states(run), ['done']);
  service.calls.length = 0;
  await run.add(ordered({ name: 'bad' }), NONE);
  assert.deepEqual(service.calls, ['create bad']);
  assert.deepEqual(states(run), ['done', 'failed']);
});

test('the licence limit ends the run; what was under way is finished, the rest waits', async () => {
  const service = new TestService();
  service.most = 6;
  const run = new AddRun(service.api);
  await run.add(ordered(...Array.from({ length: 20 }, (_, number) => ({ name: `d${number}`, site: 'S' }))), NONE);
  const { entries, ending } = run.get();
  assert.equal(ending?.reason, 'licence');
  assert.equal(entries.filter(({ state }) => state === 'done').length, 6);
  assert.equal(entries.filter(({ state, id }) => state === 'waiting' && id === undefined).length, 14);
  assert.equal(service.devices.filter(({ CustomerSite }) => CustomerSite === 'S').length, 6);
  assert.ok(service.calls.filter((call) => call.startsWith('create ')).length <= 10);
  service.most = 100;
  await run.goOn();
  assert.equal(service.devices.length, 20);
  assert.equal(run.get().ending, undefined);
});

test('a create without an answer is found without its key, finished, and given a new one', async () => {
  const service = new TestService();
  service.trouble = (call, name) => (call === 'create' && name === 'b' ? { instead: lost() } : undefined);
  const run = new AddRun(service.api);
  await run.add(ordered({ name: 'a' }, { name: 'b', site: 'S' }), NONE);
  const entry = run.get().entries[1];
  assert.deepEqual(
    { state: entry?.state, key: entry?.key, keyLost: entry?.keyLost },
    { state: 'done', key: undefined, keyLost: true },
  );
  assert.equal(service.devices.find(({ DeviceId }) => DeviceId === entry?.id)?.CustomerSite, 'S');
  await run.rekey();
  assert.equal(run.get().entries[1]?.key, `new key of ${entry?.id}`);
  assert.equal(run.get().entries[1]?.keyLost, false);
});

test('a create that never arrived is asked for in the listing before it is sent again', async () => {
  const service = new TestService();
  service.trouble = (call) => (call === 'create' ? { before: lost() } : undefined);
  const run = new AddRun(service.api);
  await run.add(ordered({ name: 'a' }), NONE);
  assert.deepEqual(service.calls, ['create a', 'named a']);
  assert.deepEqual(states(run), ['failed']);
  assert.deepEqual(run.takeBack(), [], 'it may still become a device, so it is not edited into another one');
  service.trouble = () => undefined;
  service.calls.length = 0;
  await run.retry();
  assert.deepEqual(service.calls, ['named a', 'create a']);
  assert.deepEqual(states(run), ['done']);
});

test("devices that were there before, or are another row's, are never taken for a lost one", async () => {
  const service = new TestService();
  service.devices.push({ DeviceId: 'older', DeviceName: 'a', DeviceGroup: '' });
  let creates = 0;
  service.trouble = (call) => (call === 'create' && ++creates === 2 ? { before: lost() } : undefined);
  const run = new AddRun(service.api);
  await run.add(ordered({ name: 'a' }, { name: 'a' }), new Set(['older']));
  assert.deepEqual(states(run), ['done', 'failed']);
  assert.equal(service.devices.length, 2);

  // Somebody else adds one of the same name meanwhile: it is not clear whose is whose.
  service.devices.push(
    { DeviceId: 'elsewhere', DeviceName: 'a', DeviceGroup: '' },
    { DeviceId: 'too', DeviceName: 'a', DeviceGroup: '' },
  );
  await run.retry();
  assert.match(run.get().entries[1]?.faults[0]?.text ?? '', /2 devices of this name .*elsewhere, too/);
  assert.equal(run.get().entries[1]?.id, undefined);
});

test('several lost answers for rows that are the same find a device each', async () => {
  const service = new TestService();
  service.trouble = (call) => (call === 'create' ? { instead: lost() } : undefined);
  const run = new AddRun(service.api);
  await run.add(ordered({ name: 'a' }, { name: 'a' }, { name: 'a' }), NONE);
  const ids = run.get().entries.map(({ id }) => id);
  assert.deepEqual(new Set(ids), new Set(['id1', 'id2', 'id3']));
});

test('stop ends the pause and starts no more rows; go on does the rest', async () => {
  const service = new TestService();
  const run = new AddRun({
    ...service.api,
    wait: waitFor,
  });
  service.trouble = (call) => (call === 'create' ? { before: refused(503, '60') } : undefined);
  const working = run.add(ordered(...Array.from({ length: 9 }, (_, number) => ({ name: `d${number}` }))), NONE);
  while (service.calls.length < 4) await new Promise<void>((resolve) => void setTimeout(resolve));
  await new Promise<void>((resolve) => void setTimeout(resolve));
  run.stop();
  await working;
  assert.equal(run.get().ending?.reason, 'stopped');
  assert.equal(service.calls.length, 4);
  assert.ok(states(run).every((state) => state === 'waiting'));
  service.trouble = () => undefined;
  await run.goOn();
  assert.ok(states(run).every((state) => state === 'done'));
});

test('when the session ends nothing more is sent, and nothing counts as failed', async () => {
  const service = new TestService();
  service.trouble = (call, id) => (call === 'update' && id === 'id2' ? { before: refused(401) } : undefined);
  const run = new AddRun(service.api);
  await run.add(ordered(...Array.from({ length: 12 }, (_, number) => ({ name: `d${number}`, site: 'S' }))), NONE);
  assert.equal(run.get().ending?.reason, 'signed-out');
  assert.ok(!states(run).includes('failed'));
  service.trouble = () => undefined;
  await run.goOn();
  assert.equal(service.devices.length, 12);
  assert.ok(service.devices.every(({ CustomerSite }) => CustomerSite === 'S'));
});

test('what was not created can be taken back to be edited; devices stay', async () => {
  const service = new TestService();
  service.trouble = (call, name) => (call === 'create' && name === 'bad' ? { before: refused(400) } : undefined);
  const run = new AddRun(service.api);
  const rows = ordered({ name: 'a' }, { name: 'bad' });
  await run.add(rows, NONE);
  assert.deepEqual(run.takeBack(), [rows[1]?.row]);
  assert.equal(run.get().entries.length, 1);
});

test('a service without tags or new keys says so for each row', async () => {
  const service = new TestService();
  service.trouble = (call) =>
    call === 'tags' || call === 'rekey'
      ? { before: refused(404) }
      : call === 'create'
        ? { instead: lost() }
        : undefined;
  const run = new AddRun(service.api);
  await run.add(ordered({ name: 'a', tags: 'x' }), NONE);
  await run.rekey();
  const [entry] = run.get().entries;
  assert.deepEqual(entry?.missing, ['tags']);
  assert.deepEqual(
    entry?.faults.map(({ step }) => step),
    ['tags', 'key'],
  );
  assert.equal(entry?.keyLost, true);
});
