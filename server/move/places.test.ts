// What `--to` means, and what is printed at the end.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../config-error.ts';
import { nextSteps } from './next-steps.ts';
import { artifactsAt, planMove, tablesAt } from './places.ts';

const KEYS = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };
const EMBEDDED = { ...KEYS, DATA_DIR: '/srv/muster' };
const DATABASE = 'postgres://muster:hidden@db.example.com/muster';
const OUTSIDE = { ...EMBEDDED, DATABASE_URL: DATABASE, ARTIFACT_STORE_URL: 's3://my-bucket/fleet' };

function plan(env: Record<string, string>, ...targets: string[]) {
  const { to, movesTables, movesArtifacts } = planMove(env, targets);
  return {
    tables: movesTables ? tablesAt(to.tables) : 'stay',
    artifacts: movesArtifacts ? artifactsAt(to.artifacts) : 'stay',
  };
}

test('each target takes what it is for, a folder the rest, and all else stays', () => {
  const place = 'postgres://muster@db.example.com/muster';
  assert.deepEqual(plan(EMBEDDED, DATABASE), { tables: place, artifacts: 'stay' });
  assert.deepEqual(plan(EMBEDDED, 's3://my-bucket'), { tables: 'stay', artifacts: 's3://my-bucket' });
  assert.deepEqual(plan(EMBEDDED, DATABASE, 's3://my-bucket/x/'), { tables: place, artifacts: 's3://my-bucket/x' });
  assert.deepEqual(plan(EMBEDDED, DATABASE, '/srv/files'), { tables: place, artifacts: '/srv/files' });
  assert.deepEqual(plan(EMBEDDED, '/srv/new'), { tables: '/srv/new', artifacts: '/srv/new' });
  assert.deepEqual(plan(OUTSIDE, '/srv/new'), { tables: '/srv/new', artifacts: '/srv/new' });
  assert.deepEqual(plan(OUTSIDE, '/srv/new', 's3://my-bucket/fleet'), { tables: '/srv/new', artifacts: 'stay' });
  assert.deepEqual(plan(OUTSIDE, DATABASE, '/srv/new'), { tables: 'stay', artifacts: '/srv/new' });
});

test('targets that make no sense are refused, without their passwords', () => {
  const refused = (env: Record<string, string>, targets: string[], words: RegExp) =>
    assert.throws(
      () => planMove(env, targets),
      (cause) => cause instanceof ConfigError && words.test(cause.message) && !cause.message.includes('hidden'),
      words.source,
    );
  refused(EMBEDDED, ['/srv/one', '/srv/two'], /more than one folder/);
  refused(EMBEDDED, ['/srv/muster'], /the folder of the source/);
  refused(EMBEDDED, ['/srv/muster/inside'], /the folder of the source/);
  refused(EMBEDDED, ['mysql://me:hidden@db/x'], /of the kind "mysql:"/);
  refused(EMBEDDED, ['postgres://me:hidden@db'], /--to names no database/);
  refused(EMBEDDED, ['s3://No_Bucket'], /--to is "s3:\/\/No_Bucket", but it must be/);
  refused({ DATA_DIR: '/srv/muster' }, ['s3://my-bucket'], /--to is set, but AWS_ACCESS_KEY_ID is not/);
  refused(OUTSIDE, [DATABASE, 's3://my-bucket/fleet'], /already in what --to names/);
});

test('the end says how the service starts, and which old database is in the way', () => {
  const steps = (env: Record<string, string>, ...targets: string[]) => nextSteps(planMove(env, targets)).join('\n');
  const stay = steps(EMBEDDED, DATABASE);
  assert.match(
    stay,
    /DATABASE_URL=postgres:\/\/muster@db\.example\.com\/muster \(with its password\)\n {2}DATA_DIR=\/srv\/muster\n/,
  );
  assert.match(stay, /mv \/srv\/muster\/muster\.db\* \/srv\/muster\/before-move/);
  assert.doesNotMatch(stay, /hidden/);
  const both = steps(EMBEDDED, DATABASE, 's3://my-bucket');
  assert.match(both, /DATA_DIR=… a new folder/);
  assert.match(both, /ARTIFACT_STORE_URL=s3:\/\/my-bucket, /);
  assert.match(
    steps(OUTSIDE, '/srv/new'),
    /without DATABASE_URL\n {2}DATA_DIR=\/srv\/new\n {2}without ARTIFACT_STORE_URL/,
  );
});
