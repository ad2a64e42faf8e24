// What the service says to an agent is true after a power cut: messages that make the agent drop or start something are
// sent only when the transaction that they rest on is committed.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { FakeAgent } from '../test-agents.ts';
import { until } from '../../scripts/test-process.ts';
import type { Reader } from '../store/database.ts';
import { outputSize } from '../store/job-output.ts';
import { testFleet } from '../test-fleet.ts';
import type { TestFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
let fleet: TestFleet;
before(async () => {
  service = await startTestService();
  fleet = testFleet((...request) => service.call(...request));
});
after(() => service.end());

/** All that the other side sent before it is here when this resolves: a pong overtakes nothing. */
async function roundTrip({ socket }: FakeAgent): Promise<void> {
  const pong = once(socket, 'pong');
  socket.ping();
  await pong;
}

interface Exchange {
  /** What the agent says: it has the job already, or it has only connected if this is its hello. */
  says: (agent: FakeAgent, job: string) => void;
  isHello?: boolean;
  /** Whether the database has what the answer rests on. */
  isStored: (db: Reader, job: string) => Promise<boolean>;
}
const ATTEMPTS = 20;

/** Holds the transaction open that stores what the agent says, and returns which messages it had got by then. */
async function heardBeforeCommit({ says, isHello = false, isStored }: Exchange): Promise<string[]> {
  const { db } = service.context;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const { id, key } = await fleet.device();
    const job = await fleet.run('x', { DeviceId: id });
    const agent = new FakeAgent(service.url, key);
    await once(agent.socket, 'open');
    if (!isHello) {
      agent.hello();
      await agent.receive('run');
      agent.received.length = 0;
    }
    // Until this unit ends the agent's own waits; then that shares its transaction with the next.
    const gate = Promise.withResolvers<void>();
    const first = db.write(async (tx) => {
      await tx.get('SELECT 1');
      await gate.promise;
    });
    says(agent, job);
    await roundTrip(agent);
    await until('its unit of work to wait', () => db.waiting() > 0);
    const held = db.write(async (tx) => {
      // Stored here, and not yet for others: otherwise it was committed before, and another attempt is needed.
      if (!(await isStored(tx, job)) || (await isStored(db, job))) return undefined;
      await roundTrip(agent);
      return agent.received.map(({ type }) => type);
    });
    gate.resolve();
    await first;
    const heard = await held;
    await until('an answer', () => agent.received.length > 0);
    await agent.end();
    if (heard) return heard;
  }
  assert.fail('No transaction of an agent was shared.');
}

const seqOf = async (db: Reader, job: string) =>
  (await db.get<{ seq: number }>('SELECT seq FROM jobs WHERE id = ?', job))?.seq ?? -1;

test('an end is confirmed only when it is committed', async () => {
  const heard = await heardBeforeCommit({
    says: (agent, job) => agent.finish(job),
    isStored: async (db, job) =>
      (await db.get("SELECT 1 FROM jobs WHERE id = ? AND status = 'Succeeded'", job)) !== undefined,
  });
  assert.deepEqual(heard, []);
});

test('output is confirmed only when it is committed', async () => {
  const data = Buffer.from('hello').toString('base64');
  const heard = await heardBeforeCommit({
    says: (agent, job) => agent.say({ type: 'output', job, stream: 'stdout', offset: 0, data }),
    isStored: async (db, job) => (await outputSize(db, await seqOf(db, job), 'stdout')) > 0,
  });
  assert.deepEqual(heard, []);
});

test('a job is offered only when it is committed which data folder it is given to', async () => {
  const heard = await heardBeforeCommit({
    isHello: true,
    says: (agent) => agent.hello(),
    isStored: async (db, job) =>
      (await db.get('SELECT 1 FROM jobs WHERE id = ? AND journal IS NOT NULL', job)) !== undefined,
  });
  assert.deepEqual(heard, []);
});
