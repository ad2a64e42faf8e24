// A service whose artifacts are in an S3 store: what users and monitoring see of it when it works and fails.
import assert from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import type { Artifact } from '#/contract/artifacts.ts';
import type { ProblemBody } from '#/contract/problem.ts';
import { until } from '../../scripts/test-process.ts';
import type { TestS3 } from '../store/test-s3.ts';
import { startTestService, TEST_STORE } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

process.env[TEST_STORE] = 's3';

let service: TestService;
let s3: TestS3;
before(async () => {
  service = await startTestService();
  assert.ok(service.s3);
  ({ s3 } = service);
});
after(() => service.end());
beforeEach(() => (s3.trouble = () => undefined));

const BYTES = Buffer.alloc(500_000, '# a script\n');

const send = () => {
  const form = new FormData();
  const fields = { size: '1', version: '2', type: 'script', destination: '/tmp', command: './x.sh' };
  for (const [name, value] of Object.entries(fields)) form.append(name, value);
  form.append('file', new Blob([new Uint8Array(BYTES)]), 'x.sh');
  return service.call('POST', '/v1/artifact', form);
};
const upload = async () => (await (await send()).json()) as Artifact;
const linkOf = ({ Command }: Artifact) => /'(http[^']+)'/.exec(Command)?.[1] ?? '';
const problemOf = async (response: Response, status: number) => {
  assert.equal(response.status, status, await response.clone().text());
  return (await response.json()) as ProblemBody;
};
const ready = () => fetch(new URL('/readyz', service.url));
const counted = async (labels: string) => {
  const text = await (await service.call('GET', '/metrics')).text();
  const line = text.split('\n').find((each) => each.startsWith(`muster_artifact_store_requests_total{${labels}}`));
  return Number(line?.split(' ').at(-1));
};

test('what the store refuses becomes a 503 that says what to look at, without secrets', async () => {
  const artifact = await upload();
  s3.trouble = ({ method }) =>
    method === 'PUT' || method === 'GET' ? { status: 403, code: 'AccessDenied' } : undefined;
  for (const response of [await send(), await fetch(linkOf(artifact))]) {
    assert.equal(response.headers.get('retry-after'), '60');
    const { title, detail = '' } = await problemOf(response, 503);
    assert.equal(title, 'The artifact store cannot be used at the moment');
    assert.match(detail, /denies access: the access key needs s3:ListBucket .* \(403 AccessDenied\)\.$/);
    assert.doesNotMatch(detail, /AKIA|test-bucket|127\.0\.0\.1/);
  }
  assert.deepEqual(await (await service.call('GET', '/v1/artifact')).json(), [artifact]);
  s3.trouble = () => undefined;
  assert.equal((await service.call('DELETE', `/v1/artifact/${artifact.ArtifactId}`)).status, 200);
  await until('the store to be empty', () => service.stored().length === 0);
});

test('a download whose bytes differ breaks off before its end, and is refused from then on', async () => {
  const artifact = await upload();
  s3.trouble = ({ method }) => (method === 'GET' ? 'wrong bytes' : undefined);
  const response = await fetch(linkOf(artifact));
  assert.equal(response.status, 200);
  await assert.rejects(response.arrayBuffer());
  assert.match((await problemOf(await fetch(linkOf(artifact)), 410)).detail ?? '', /x\.sh 2 is damaged/);
  const shown = (await (await service.call('GET', `/v1/artifact/${artifact.ArtifactId}`)).json()) as Artifact;
  assert.equal(shown.FileFault, 'Damaged');
});

test('readiness follows the store, and metrics count its requests', async () => {
  await until('it to be ready', async () => (await ready()).status === 200);
  const failures = await counted('method="GET",outcome="failure"');
  assert.ok((await counted('method="PUT",outcome="ok"')) > 0);
  s3.trouble = () => 'reset';
  const problem = await until('it to notice', async () => {
    const response = await ready();
    return response.status === 503 && problemOf(response, 503);
  });
  assert.deepEqual(
    problem.errors?.map(({ field }) => field),
    ['artifacts'],
  );
  assert.match(problem.detail ?? '', /artifacts can be neither stored nor downloaded: the store does not answer/);
  assert.ok((await counted('method="GET",outcome="failure"')) > failures);
  s3.trouble = () => undefined;
  await until('it to be ready again', async () => (await ready()).status === 200);
});

test('a wrong setting stops the start with one sentence, and the next start reports no crash', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'muster-service-'));
  await assert.rejects(
    startTestService({ ...s3.env, AWS_SECRET_ACCESS_KEY: 'wrong-secret' }, dataDir),
    /^ConfigError: ARTIFACT_STORE_URL is s3:\/\/test-bucket\/fleet\/artifacts, but that store refuses the signature: check AWS_SECRET_ACCESS_KEY and AWS_REGION \(403 SignatureDoesNotMatch\)\.$/,
  );
  const next = await startTestService({}, dataDir);
  assert.equal(next.context.startup.recovered, undefined);
  await next.end();
});
