// What both buses do about a connection that is lost, without any server.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { until } from '../../scripts/test-process.ts';
import { keepConnected } from './bus-connection.ts';
import type { Connection } from './bus-connection.ts';

/** A connection that answers as long as `answers` says so. */
function fakeConnection(answers: () => boolean): Connection & { isOpen: () => boolean } {
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let isOpen = true;
  return {
    isOpen: () => isOpen,
    ended,
    check: () => (answers() ? Promise.resolve() : new Promise(() => {})),
    end: async () => {},
    destroy: () => {
      isOpen = false;
      end();
    },
  };
}

async function keep(t: TestContext, connect: () => Connection) {
  let reconnected = 0;
  const lines: string[] = [];
  for (const name of ['log', 'error'] as const) t.mock.method(console, name, (line: string) => lines.push(line));
  const kept = await keepConnected({
    server: 'The server',
    checkMs: 20,
    connect: async () => connect(),
    reconnected: () => (reconnected += 1),
  });
  t.after(() => kept.close());
  return { kept, lines, reconnected: () => reconnected };
}

test('a server that is not there is reported once, and used as soon as it is', async (t) => {
  let left = 3;
  const { kept, lines, reconnected } = await keep(t, () => {
    left -= 1;
    if (left > 0) throw new Error('refused');
    return fakeConnection(() => true);
  });
  assert.equal(kept.current(), undefined, 'it did not wait for the server');
  await until('the connection', () => kept.current() !== undefined);
  assert.equal(reconnected(), 1, 'messages may have been missed');
  assert.deepEqual(
    lines.map((line) => /cannot be used .*\(refused\)|can be used/.exec(line)?.[0].slice(0, 6)),
    ['cannot', 'can be'],
  );
});

test('a connection without answers is ended, and another one opened', async (t) => {
  const opened: ReturnType<typeof fakeConnection>[] = [];
  const { kept, reconnected } = await keep(t, () => {
    const isFirst = opened.length === 0;
    const connection = fakeConnection(() => !isFirst);
    opened.push(connection);
    return connection;
  });
  assert.equal(kept.current(), opened[0]);
  assert.equal(reconnected(), 0, 'nothing was missed before the first');
  await until('the second', () => kept.current() === opened[1] && reconnected() === 1);
  assert.ok(!opened[0]?.isOpen());
  await kept.close();
  assert.ok(!opened[1]?.isOpen());
  assert.equal(kept.current(), undefined);
});
