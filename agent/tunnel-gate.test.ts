// The agent's own check of what the service asks for: after names are resolved, and whatever was asked before.
import assert from 'node:assert/strict';
import type { LookupAddress } from 'node:dns';
import { test } from 'node:test';
import { TunnelGate } from './tunnel-gate.ts';

/** A gate where names resolve to these addresses, one list after the other. */
function gate(allowed: string, ...answers: string[][]) {
  const lines: string[] = [];
  let asked = 0;
  const at = new TunnelGate(
    allowed,
    (line) => lines.push(line),
    async (): Promise<LookupAddress[]> =>
      (answers[asked++] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  );
  return { gate: at, lines, asked: () => asked };
}

/** The addresses that a connection would try. */
const tried = (way: Awaited<ReturnType<TunnelGate['wayTo']>>) => {
  let found: unknown;
  way?.lookup?.('any', { all: true }, (_error, addresses) => (found = addresses));
  return (found as LookupAddress[] | undefined)?.map(({ address }) => address);
};

test('an address is connected to as it is, without a lookup', async () => {
  const { gate: at, asked } = gate('loopback');
  assert.deepEqual(await at.wayTo('tcp://127.0.0.1:22'), { host: '127.0.0.1', port: 22 });
  assert.deepEqual(await at.wayTo('tcp://[::ffff:127.0.0.1]:22'), { host: '127.0.0.1', port: 22 });
  assert.equal(await at.wayTo('tcp://10.0.0.1:22'), undefined);
  assert.equal(asked(), 0);
});

test('of the addresses of a name, only allowed ones are tried, and the name is not resolved again', async () => {
  const rebound = gate('loopback', ['127.0.0.1', '10.0.0.1', '::1'], ['10.0.0.1']);
  const way = await rebound.gate.wayTo('http://localhost:80');
  assert.deepEqual(tried(way), ['127.0.0.1', '::1']);
  assert.deepEqual(tried(way), ['127.0.0.1', '::1']);
  assert.equal(rebound.asked(), 1);
  // The second time it resolves elsewhere.
  assert.equal(await rebound.gate.wayTo('http://localhost:80'), undefined);
  const name = gate('printer.lan:80', ['127.0.0.1'], ['192.168.1.9']);
  assert.equal(await name.gate.wayTo('http://printer.lan'), undefined);
  assert.deepEqual(tried(await name.gate.wayTo('http://printer.lan')), ['192.168.1.9']);
});

test('a name that is not allowed is not even resolved', async () => {
  const { gate: at, asked } = gate('loopback', ['127.0.0.1']);
  for (const name of ['http://evil.example:80', 'http://localhost.:80', 'http://x.localhost:80'])
    assert.equal(await at.wayTo(name), undefined);
  assert.equal(asked(), 0);
});

test('nothing is allowed by an allowance that cannot be read', async () => {
  for (const allowed of ['none', '', 'everything']) {
    const { gate: at } = gate(allowed);
    assert.equal(at.allowed, 'none');
    assert.equal(await at.wayTo('tcp://127.0.0.1:22'), undefined);
  }
});

test('each destination is logged once, refused ones without control characters, and not without end', async () => {
  const { gate: at, lines } = gate('loopback');
  for (let time = 0; time < 3; time += 1) {
    await at.wayTo('tcp://127.0.0.1:22');
    await at.wayTo('tcp://10.0.0.1:22\u001b[2J');
  }
  assert.equal(lines.length, 2);
  assert.ok(lines.every((line) => !/\p{Cc}/u.test(line)));
  for (let port = 1; port < 500; port += 1) await at.wayTo(`tcp://10.0.0.1:${port}`);
  assert.equal(lines.length, 200);
});
