// Which old versions go, and which a job still needs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { artifact } from '#/contract/artifacts.ts';
import { job } from '#/contract/jobs.ts';
import { planCleanup } from './artifact-cleanup.ts';
import { usageOf } from './versions/artifact-usage.ts';

const registry = [1, 2, 3, 4].map((day) =>
  artifact.parse({
    ArtifactId: `v${day}`,
    Name: `app_1.${day}.sh`,
    Version: `1.${day}`,
    SizeBytes: day * 10,
    CreatedTime: `2026-01-0${day}T00:00:00Z`,
  }),
);
const ids = (plan: readonly { ArtifactId: string }[]) => plan.map(({ ArtifactId }) => ArtifactId);

test('the newest stay, what a job needs stays, the rest goes', () => {
  const usage = usageOf([
    job.parse({ JobId: 'j', ArtifactId: 'v1', Status: 'Waiting' }),
    job.parse({ JobId: 'k', ArtifactId: 'v2', Status: 'Failed' }),
  ]);
  const plan = planCleanup(registry, 2, usage);
  assert.deepEqual(ids(plan.going), ['v2']);
  assert.deepEqual(ids(plan.needed), ['v1']);
  assert.equal(plan.frees, 20);
  assert.deepEqual(ids(planCleanup(registry, 4, usage).going), []);
  // Where it is unknown what is needed, the plan warns of it and asks for the count.
  assert.deepEqual(ids(planCleanup(registry, 2, undefined).going), ['v2', 'v1']);
});
