// Workflows over real HTTP.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ProblemBody } from '#/contract/problem.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import type { Workflow } from '#/contract/workflows.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
before(async () => {
  service = await startTestService();
});
after(() => service.end());

const create = (body: unknown) => service.call('POST', '/v1/workflow', body);
const list = async () => (await (await service.call('GET', '/v1/workflow')).json()) as Workflow[];

test('a workflow is defined, shown, listed and deleted', async () => {
  const response = await create({ Name: ' restart ü', Command: '/bin/sh -c "echo \'hi\'"\n' });
  assert.equal(response.status, 200);
  const { WorkflowId } = (await response.json()) as { WorkflowId: string };
  const shown = (await (await service.call('GET', `/v1/workflow/${WorkflowId}`)).json()) as Workflow;
  const { CreatedTime, ...rest } = shown;
  assert.deepEqual(rest, { WorkflowId, Name: ' restart ü', Command: '/bin/sh -c "echo \'hi\'"\n' });
  assert.match(CreatedTime, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  assert.ok(Math.abs((parseTimestamp(CreatedTime)?.getTime() ?? 0) - Date.now()) < 60_000);
  await create({ Name: 'second', Command: 'true' });
  assert.deepEqual(
    (await list()).map(({ Name }) => Name),
    [' restart ü', 'second'],
  );

  const gone = await service.call('DELETE', `/v1/workflow/${WorkflowId}`);
  assert.deepEqual([gone.status, await gone.text()], [200, '']);
  assert.deepEqual(
    (await list()).map(({ Name }) => Name),
    ['second'],
  );
  for (const method of ['GET', 'DELETE'])
    assert.equal((await service.call(method, `/v1/workflow/${WorkflowId}`)).status, 404);
});

test('what is missing or empty is named', async () => {
  for (const [body, field] of [
    [{ Command: 'true' }, 'Name'],
    [{ Name: '  ', Command: 'true' }, 'Name'],
    [{ Name: 'n' }, 'Command'],
    [{ Name: 'n', Command: ' \n' }, 'Command'],
    [{ Name: 'n', Command: 7 }, 'Command'],
    [{ Name: 'n', Command: 'rm -rf /tmp/a\0b' }, 'Command'],
  ] as const) {
    const response = await create(body);
    assert.equal(response.status, 400);
    const { errors } = (await response.json()) as ProblemBody;
    assert.deepEqual(
      errors?.map((error) => error.field),
      [field],
    );
  }
});

test("another account's workflow is not there", async () => {
  const { WorkflowId } = (await (await create({ Name: 'mine', Command: 'true' })).json()) as { WorkflowId: string };
  await service.context.db.write(async (tx) => {
    await tx.run(`INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (2, 'b@x', 1, 1, 0)`);
    await tx.run('UPDATE workflows SET account_id = 2 WHERE id = ?', WorkflowId);
  });
  for (const method of ['GET', 'DELETE'])
    assert.equal((await service.call(method, `/v1/workflow/${WorkflowId}`)).status, 404);
  assert.ok(!(await list()).some((workflow) => workflow.WorkflowId === WorkflowId));
});
