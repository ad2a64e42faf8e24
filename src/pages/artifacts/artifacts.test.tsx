// The registry of artifacts and the page of one, with artifacts that were uploaded before.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { screen, waitFor, within } from '@testing-library/dom';
import { queryClient } from '#/api/query-client.ts';
import { ruleQueries } from '#/api/rules.ts';
import {
  dialogOf,
  expectAccessible,
  expectAddress,
  expectGone,
  expectRead,
  expectText,
  testPage,
  type TestPage,
} from '#/test-page.ts';

interface Listed {
  ArtifactId: string;
  Name: string;
  Version: string;
  Command: string;
}
type Service = TestPage['service'];

const listed = async (service: Service) => (await service.call<Listed[] | null>('GET', '/v1/artifact')) ?? [];
const rows = () => within(screen.getByRole('table', { name: 'Artifacts' })).getAllByRole('row');
const expectRows = async (count: number) => {
  await screen.findByRole('table', { name: 'Artifacts' });
  await waitFor(() => assert.equal(rows().length, count));
};

/** Two artifacts, and a search for one of them. */
async function openTwo({ open, service }: TestPage, search = ''): Promise<void> {
  await service.uploadScript('camera.sh', '#!/bin/sh\necho cam\n', '/opt/cam');
  await service.uploadScript('sensor.sh', '#!/bin/sh\necho sensor\n', '/opt/sensor');
  await open(`/artifacts${search}`);
  await expectRows(search ? 2 : 3);
}

test('artifacts are searched by name, and a reload shows the same', async (t) => {
  const page = await testPage(t);
  await openTwo(page);
  const search = () => screen.findByRole('searchbox', { name: /^Search by name/ });
  await page.fill(await search(), 'SENS');
  await expectRows(2);
  await expectAddress('/artifacts?name=SENS');
  await page.open('/artifacts?name=SENS');
  await expectRows(2);
  await page.fill(await search(), 'SENSE');
  await screen.findByText('No artifact matches “SENSE”');
  await page.user.click(screen.getByRole('button', { name: 'Clear the search' }));
  await expectRows(3);
});

test('the page of an artifact hides the token of its Command, and Back returns to the search', async (t) => {
  const page = await testPage(t);
  await openTwo(page, '?name=SENS');
  await page.user.click(screen.getByRole('link', { name: 'sensor.sh' }));
  await screen.findByRole('heading', { level: 1, name: 'sensor' });
  const details = await screen.findByRole('group', { name: 'Details of sensor.sh 1.0.0' });
  await expectText(() => details, /SHA-256/);
  const { Command = '' } = (await listed(page.service)).find(({ Name }) => Name === 'sensor.sh') ?? {};
  const token = /url='[^']*?([\w-]{24,})'/.exec(Command)?.[1] ?? '';
  assert.notEqual(token, '');
  const shown = within(details).getByLabelText('Command');
  assert.match(shown.textContent, /•••/);
  assert.match(shown.textContent, /\/opt\/sensor/);
  assert.ok(!shown.textContent.includes(token));
  await page.user.click(within(details).getByRole('button', { name: 'Copy command' }));
  await waitFor(async () => assert.equal(await navigator.clipboard.readText(), Command));
  history.back();
  await expectAddress('/artifacts?name=SENS');
  await expectGone(() => screen.queryByRole('group', { name: 'Details of sensor.sh 1.0.0' }));
});

/** Five versions of one script, of which two jobs wait for the oldest, and another script. */
async function openVersions({ open, service }: TestPage) {
  for (const [version, size] of [1, 2, 3, 4, 5].entries())
    await service.uploadScript(
      'agent.sh',
      `#!/bin/sh\n# ${size}\n${'x'.repeat(1000 * version)}\n`,
      '/opt',
      `1.${version}`,
    );
  await service.uploadScript('once.sh', '#!/bin/sh\n', '/opt');
  const all = await listed(service);
  const idOf = (version: string) => all.find(({ Version }) => Version === version)?.ArtifactId ?? '';
  const { DeviceId } = await service.createDevice('gate 1', 'lab');
  await service.createDevice('gate 2', 'lab');
  await service.call('POST', '/v1/job', { Name: 'Waits for one', DeviceId, ArtifactId: idOf('1.0') });
  await service.call('POST', '/v1/job', { Name: 'Waits for many', DeviceGroup: 'lab', ArtifactId: idOf('1.0') });
  await open('/artifacts');
  await expectRows(3);
  return { idOf };
}

test('the versions of an artifact are one row, which opens', async (t) => {
  const page = await testPage(t);
  await openVersions(page);
  await expectText(() => screen.getByRole('row', { name: /agent\.sh/ }), /1\.4.*2 waiting/);
  await page.user.click(screen.getByRole('button', { name: /^agent\.sh 5 versions/ }));
  await expectRows(8);
});

test('a deletion names the jobs that would fail, and is confirmed by the name of the artifact', async (t) => {
  const page = await testPage(t);
  await openVersions(page);
  await page.user.click(screen.getByRole('button', { name: /^agent\.sh 5 versions/ }));
  await page.user.click(await screen.findByRole('button', { name: 'Delete agent.sh 1.0' }));
  const question = await dialogOf('Delete artifact');
  await expectText(() => question, /2 jobs wait for it and would fail, on 3 devices/);
  const waiting = within(within(question).getByRole('list', { name: 'Jobs that would fail' })).getAllByRole('listitem');
  const textOf = (name: string) => waiting.find(({ textContent }) => textContent.includes(name))?.textContent ?? '';
  assert.match(textOf('Waits for many'), /group lab, 2 waiting/);
  assert.match(textOf('Waits for one'), /gate 1/);
  const button = within(question).getByRole<HTMLButtonElement>('button', { name: 'Delete artifact' });
  assert.ok(button.disabled);
  await page.fill(within(question).getByLabelText('Type agent.sh to confirm'), 'agent.sh');
  await page.user.click(button);
  await expectGone(() => screen.queryByRole('dialog'));
  await expectRows(7);
});

test('old versions that no job needs are deleted in one step, and the refused one is retried', async (t) => {
  const page = await testPage(t);
  const { idOf } = await openVersions(page);
  let refusals = 1;
  page.route(new RegExp(`^/v1/artifact/${idOf('1.1')}$`), (ask) =>
    refusals-- > 0 ? Promise.resolve(new Response('Busy with something', { status: 409 })) : ask(),
  );
  await page.user.click(screen.getByRole('button', { name: 'Delete old versions' }));
  const old = await dialogOf('Delete old versions');
  await expectText(() => old, /1 artifact will be deleted permanently/);
  assert.match(old.textContent, /One more old version stays: a job still needs it\./);
  await page.user.click(within(old).getByText('2'));
  await expectText(() => old, /2 artifacts will be deleted permanently/);
  const names = within(old)
    .getAllByRole('row')
    .map(({ textContent }) => textContent);
  assert.equal(names.length, 3);
  for (const [at, text] of [/Name/, /agent\.sh.*1\.2/, /agent\.sh.*1\.1/].entries())
    assert.match(names[at] ?? '', text);
  await expectAccessible();
  await page.fill(within(old).getByLabelText('Type 2 to confirm'), '2');
  await page.user.click(within(old).getByRole('button', { name: 'Delete 2 artifacts' }));
  const row = (version: string) => within(old).getByRole('row', { name: new RegExp(`agent\\.sh ${version}`) });
  await expectText(() => row('1.1'), /Failed.*Busy with something/);
  await expectText(() => row('1.2'), /Done/);
  await page.user.click(within(old).getByRole('button', { name: 'Retry the failed (1)' }));
  await expectText(() => old, /2 done\./);
  await page.user.click(within(old).getAllByRole('button', { name: 'Close' }).at(-1) ?? assert.fail());
  assert.deepEqual(
    (await listed(page.service)).map(({ Version }) => Version),
    ['1.0', '1.3', '1.4', '1.0.0'],
  );
});

test('another service: sizes without a unit, no sums, and jobs that do not say what they run', async (t) => {
  const { open, user, route } = await testPage(t);
  const answer = (body: unknown) => () => Promise.resolve(Response.json(body));
  route(
    /^\/v1\/artifact$/,
    answer({
      Artifacts: ['1.0', '1.1'].map((Version, index) => ({
        ArtifactId: `a${index}`,
        Name: 'plain.tar.gz',
        Version,
        Size: 12,
        IsScript: false,
        CreatedTime: `2026-01-0${index + 1}T00:00:00.5+00:00`,
      })),
    }),
  );
  route(/^\/v1\/account$/, async (ask) =>
    Response.json({ ...((await (await ask()).json()) as object), Capabilities: [] }),
  );
  const job = { JobId: 'j', JobName: 'old', DeviceId: 'd', StartTime: '', EndTime: '', Result: '' };
  route(/^\/v1\/job$/, answer([job]));
  await open('/artifacts?name=plain');
  await screen.findByText(/^This service does not report which jobs use an artifact\./);
  const table = await screen.findByRole('table', { name: 'Artifacts' });
  const heads = within(table)
    .getAllByRole('columnheader')
    .map(({ textContent }) => textContent);
  assert.deepEqual(heads, ['Name', 'Version', 'Type', 'Size', 'Uploaded', 'Actions']);
  const row = within(table)
    .getAllByRole('row', { name: /plain\.tar\.gz.*1\.1/ })
    .at(-1);
  assert.match(row?.textContent ?? '', /12/);
  await user.click(screen.getByRole('button', { name: 'Delete plain.tar.gz 1.1' }));
  await expectText(
    () => screen.getByRole('dialog'),
    /This service does not report which jobs use it\. Those that still wait for it will fail/,
  );
});

const upload = (service: Service, version: string) =>
  service.uploadScript('myapp.sh', `#!/bin/sh\necho ${version}\n`, '/tmp', version);

test('links to the dialogs of before, and by the id of a version, lead to the page', async (t) => {
  const { open, service } = await testPage(t);
  const ArtifactId = await upload(service, '1.0');
  for (const link of [`/artifacts?dialog=details&artifact=${ArtifactId}`, `/artifacts/${ArtifactId}`]) {
    await open(link);
    await expectAddress(`/artifacts/myapp?version=${ArtifactId}`);
    await screen.findByRole('group', { name: 'Details of myapp.sh 1.0' });
  }
  await open(`/artifacts?dialog=rules&artifact=${ArtifactId}`);
  await dialogOf('Outcome rules of myapp');
});

test('outcome rules that somebody else changed are replaced only after a refusal, also where the page has read them', async (t) => {
  const { open, user, fill, service } = await testPage(t);
  await upload(service, '1.0');
  const rules = async () =>
    (await service.call<{ Rules: { Find: string }[] }[]>('GET', '/v1/rules')).flatMap(({ Rules }) =>
      Rules.map(({ Find }) => Find),
    );
  await open('/artifacts/myapp?dialog=rules');
  await fill(await screen.findByRole('textbox', { name: 'Mark of rule 1' }), 'all good');
  await service.call('PUT', '/v1/rules/myapp', { Rules: [{ Find: 'self test failed', Verdict: 'Failed' }] });
  await queryClient.refetchQueries(ruleQueries.list());
  await within(screen.getByRole('dialog')).findByText(/^Changed/);
  const save = () => user.click(screen.getByRole('button', { name: 'Save rules' }));
  await save();
  await expectText(() => screen.getByRole('alert'), /^The rules of myapp were changed meanwhile/);
  assert.deepEqual(await rules(), ['self test failed']);
  await expectRead();
  await save();
  await expectGone(() => screen.queryByRole('dialog'));
  assert.deepEqual(await rules(), ['all good']);
});

test('in front of a plain service the page of an artifact shows what there is', async (t) => {
  const { open, service, route } = await testPage(t);
  await upload(service, '1.0');
  const asked: string[] = [];
  route(/^\/v1\//, (ask, { url }) => {
    asked.push(url.pathname);
    return ask();
  });
  route(/^\/v1\/account$/, async (ask) =>
    Response.json({ ...((await (await ask()).json()) as object), Capabilities: [] }),
  );
  await open('/artifacts/myapp');
  await within(await screen.findByRole('table', { name: 'Versions' })).findByRole('button', { name: '1.0' });
  assert.equal(screen.queryAllByRole('columnheader', { name: 'Runs on' }).length, 0);
  assert.equal(screen.queryAllByRole('region', { name: 'Outcome rules' }).length, 0);
  await expectText(() => screen.getByRole('region', { name: 'Deployments' }), /No jobs use it\./);
  assert.deepEqual(
    asked.filter((path) => /^\/v1\/(versions|rules|audit)/.test(path)),
    [],
  );
});
