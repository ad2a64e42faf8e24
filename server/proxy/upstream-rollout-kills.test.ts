// kill -9 of a gateway while the service behind it has taken a job and not answered yet: no device gets it twice.
import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { after, test } from 'node:test';
import type { Rollout } from '#/contract/rollouts.ts';
import { endProcesses, TestProcess, until } from '../../scripts/test-process.ts';
import { COLLEAGUE, OPERATOR, PlainV1 } from '../../scripts/test-plain-v1.ts';
import { listen } from '../auth/test-gateway.ts';
import { freePort, scratch } from '../test-agents.ts';

const at = scratch();
after(async () => {
  await endProcesses();
  at.remove();
});

test('a gateway that is killed between a submission and its answer submits no job again', async (t) => {
  const plain = new PlainV1(3);
  const upstream = await listen(t, (request, response) => {
    const { method = '', url = '', headers } = request;
    void buffer(request).then((body) => plain.answer({ method, url, headers, body }, response));
  });
  const port = await freePort();
  const call = (method: string, where: string, body?: unknown) =>
    fetch(`http://127.0.0.1:${port}${where}`, {
      method,
      headers: { Authorization: `Bearer ${COLLEAGUE}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const start = async () => {
    const env = { PORT: String(port), DATA_DIR: at.folder, UPSTREAM_URL: upstream, UPSTREAM_TOKEN: OPERATOR };
    const gateway = new TestProcess(['server/main.ts'], { env });
    await until('the gateway to answer', () =>
      call('GET', '/v1/account').then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
    return gateway;
  };
  let gateway = await start();
  plain.troubles.push('hang', 'hang', 'hang');
  const made = await call('POST', '/v1/rollout', {
    Name: 'pump 2.0.0',
    DeviceGroup: 'pumps',
    ArtifactId: 'a1',
    Waves: [{ Count: 1 }, { Percent: 100 }],
    Gate: { SuccessPercent: 100, OnlineMinutes: 0, TimeoutMinutes: 60 },
    PauseAfter: { FailedCount: 0 },
    Advance: 'auto',
  });
  const { RolloutId } = (await made.json()) as { RolloutId: string };
  for (const submitted of [1, 3]) {
    await until(`${submitted} jobs`, () => plain.jobs.length === submitted);
    await gateway.end('SIGKILL');
    plain.runs = true;
    gateway = await start();
  }
  await until('the end of the rollout', async () => {
    const { State, Because } = (await (await call('GET', `/v1/rollout/${RolloutId}`)).json()) as Rollout;
    assert.notEqual(State, 'Paused', Because);
    return State === 'Succeeded';
  });
  assert.deepEqual(plain.jobs.map(({ DeviceId }) => DeviceId).toSorted(), ['d1', 'd2', 'd3']);
});
