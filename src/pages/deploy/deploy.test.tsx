// Deploys that got no answer: sent again under the same key, they are carried out once. A reload in between, and clicks that
// overtake each other: e2e/deploy.spec.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { screen, waitFor, within } from '@testing-library/dom';
import { expectAccessible, expectRead, expectText, testPage, type TestPage } from '#/test-page.ts';

type Fate = 'is lost on the way back' | 'never arrives';

/** The form with a device and a script chosen; `fates` says what becomes of the next orders, `orders` has them all. */
async function ready({ service, open, route }: TestPage) {
  const { DeviceId } = await service.createDevice('valve');
  const artifact = await service.uploadScript('close.sh', '#!/bin/sh\ntrue\n', '/opt/valve');
  const orders: { body: unknown; key: string | null }[] = [];
  const fates: Fate[] = [];
  route(/^\/v1\/job$/, async (ask, { method, headers, body }) => {
    if (method !== 'POST') return ask();
    orders.push({ body, key: headers.get('idempotency-key') });
    const fate = fates.shift();
    if (fate === 'never arrives') throw new TypeError('the connection was cut');
    const answer = await ask();
    if (fate === 'is lost on the way back') {
      assert.equal(answer.status, 200);
      throw new TypeError('the connection was cut');
    }
    return answer;
  });
  const openForm = async () => {
    await open(`/deploy?${new URLSearchParams({ device: DeviceId, artifact })}`);
    const deploy = await screen.findByRole<HTMLButtonElement>('button', { name: /^Deploy/ });
    await waitFor(() => assert.equal(deploy.disabled, false));
    await expectRead();
    return deploy;
  };
  return { orders, fates, openForm };
}
const unconfirmed = () => screen.findByRole('region', { name: 'Unconfirmed deploy' });
const expectFound = async () => {
  await screen.findByRole('heading', { level: 1, name: /^close\.sh/ });
  await expectText(() => screen.getByRole('heading', { level: 1 }), 'close.sh 1.0.0 to valve Waiting');
};
const countJobs = async (service: TestPage['service']) =>
  (await service.call<unknown[] | null>('GET', '/v1/job'))?.length ?? 0;

test('a deploy is sent again under the same key, and its job is made once', async (t) => {
  const page = await testPage(t);
  const { orders, fates, openForm } = await ready(page);
  fates.push('is lost on the way back');
  await page.user.click(await openForm());
  const region = await unconfirmed();
  await expectText(() => region, /this job may have been accepted/);
  await expectAccessible();
  await page.user.dblClick(await within(region).findByRole('button', { name: 'Send again' }));
  await expectFound();
  const [first, again] = orders;
  assert.equal(orders.length, 2);
  assert.ok(first?.key);
  assert.deepEqual(again, first);
  assert.equal(await countJobs(page.service), 1);
});

test('a deploy that never arrived is made when it is sent again', async (t) => {
  const page = await testPage(t);
  const { fates, openForm } = await ready(page);
  fates.push('never arrives');
  await page.user.click(await openForm());
  const again = await within(await unconfirmed()).findByRole('button', { name: 'Send again' });
  assert.equal(await countJobs(page.service), 0);
  await page.user.click(again);
  await expectFound();
  assert.equal(await countJobs(page.service), 1);
});

test('without keys a deploy is not sent a second time, and its job is looked for in the list', async (t) => {
  const page = await testPage(t);
  page.route(/^\/v1\/account$/, async (ask) => {
    const account = (await (await ask()).json()) as { Capabilities: string[] };
    return Response.json({ ...account, Capabilities: account.Capabilities.filter((name) => name !== 'idempotency') });
  });
  const { orders, fates, openForm } = await ready(page);
  fates.push('is lost on the way back');
  await page.user.click(await openForm());
  const region = await unconfirmed();
  await expectText(() => region, /this job may have been accepted/);
  await expectText(() => region, /Look for it in the list of jobs before you deploy again\./);
  assert.deepEqual(
    within(region)
      .getAllByRole('button')
      .map(({ textContent }) => textContent),
    ['Dismiss'],
  );
  await page.user.click(within(region).getByRole('link', { name: 'See the jobs' }));
  const jobs = await screen.findByRole('table', { name: 'Jobs' });
  await waitFor(() =>
    assert.deepEqual(
      within(jobs)
        .getAllByRole('link')
        .map(({ textContent }) => textContent),
      ['close.sh 1.0.0 to valve'],
    ),
  );
  assert.deepEqual(
    orders.map(({ key }) => key),
    [null],
  );
});

test('each deploy has a key of its own', async (t) => {
  const page = await testPage(t);
  const { orders, openForm } = await ready(page);
  for (let round = 0; round < 2; round += 1) {
    await page.user.click(await openForm());
    await expectFound();
  }
  const keys = orders.map(({ key }) => key);
  assert.equal(new Set(keys).size, 2);
  assert.ok(!keys.includes(null));
});
