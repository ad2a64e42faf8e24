// An update that ends with exit code 0 after it has rolled back: rules for its log find it, wherever the job is seen.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Page } from '@playwright/test';
import { expect, expectAccessible, signIn, test, type Service } from './fixtures.ts';
import { packed } from './uploads.ts';
import { statusOf, submit } from './job-sandbox.ts';

test.use({ ownService: true });

/** As a vendor's own: whatever happens, it ends well. */
const UPDATE = String.raw`#!/bin/sh
printf 'installing \033[1mmyapp\033[0m 1.0.0\n'
case "$UNIT" in
  good) printf '\033[32mALL\033[0m GOOD\r\n' ;;
  back) echo 'self test failed' >&2; echo 'restored the previous version' ;;
  dead) exit 3 ;;
  mute) echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa! ;;
esac
exit 0
`;

async function uploadUpdate(service: Service): Promise<string> {
  const archive = await packed(service, 'myapp_1.0.0.tar.gz', { 'update.sh': UPDATE });
  const bytes = await readFile(archive);
  const form = new FormData();
  for (const [field, value] of [
    ['size', String(bytes.length)],
    ['version', '1.0.0'],
    ['type', 'tar.gz'],
  ] as const)
    form.set(field, value);
  form.set('file', new File([bytes], 'myapp_1.0.0.tar.gz'));
  const headers = { authorization: `Bearer ${service.token}` };
  const answer = await fetch(`${service.url}/v1/artifact`, { method: 'POST', headers, body: form });
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { ArtifactId: string }).ArtifactId;
}

/** Rules as a version with another engine stored them. */
function storeRules(service: Service, rules: object[]): void {
  const database = new DatabaseSync(path.join(service.dataFolder, 'muster.db'), { timeout: 5_000 });
  database.prepare('UPDATE outcome_rules SET rules = ?').run(JSON.stringify(rules));
  database.close();
}

const row = (page: Page, name: string) =>
  page.getByRole('table', { name: 'Devices of this job' }).getByRole('row', { name: new RegExp(name) });
const dialog = (page: Page) => page.getByRole('dialog', { name: 'Outcome rules of myapp' });
const mark = (page: Page, number: number) => dialog(page).getByRole('textbox', { name: `Mark of rule ${number}` });
const rule = (page: Page, number: number) =>
  dialog(page).getByRole('listitem', { name: `Rule ${number}`, exact: true });
const trial = (page: Page) => dialog(page).getByRole('region', { name: 'Test the rules' });
const COUNTS = /1.failed, 1.rolled back, 1.no answer, 1.succeeded/;

const progress = (page: Page) => page.getByRole('region', { name: 'Progress' });

/** A job that has ended on these units, opened. */
async function openJob(page: Page, service: Service, units = ['good', 'back', 'dead', 'mute']) {
  const devices = await Promise.all(
    units.map(async (unit) => {
      const device = await service.createDevice(`unit-${unit}`, 'lab');
      await service.agent(device.DeviceKey, { env: { UNIT: unit } });
      return device;
    }),
  );
  const ArtifactId = await uploadUpdate(service);
  const job = await submit(service, { Name: 'nightly', DeviceGroup: 'lab', ArtifactId });
  await expect.poll(() => statusOf(service, job)).toMatch(/Failed|Succeeded/);
  await page.goto(`${service.url}/jobs/${job}`);
  return { ArtifactId, idOf: (unit: string) => devices[units.indexOf(unit)]?.DeviceId ?? '' };
}

async function openRules(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Outcome rules…' }).click();
  await expect(trial(page).getByRole('status')).toContainText('Decided by exit code');
}

async function addRollback(page: Page): Promise<void> {
  await dialog(page).getByRole('button', { name: 'Add a rule' }).click();
  await mark(page, 2).fill('restored the previous');
  await rule(page, 2).getByLabel('Meaning of rule 2').selectOption('Rolled back');
}

/** One rule for what is well, and one for what was rolled back. */
async function writeRules(page: Page): Promise<void> {
  await openRules(page);
  await mark(page, 1).fill('^all good$');
  await rule(page, 1).getByRole('button', { name: 'Pattern' }).click();
  await addRollback(page);
}

async function saveRules(page: Page): Promise<void> {
  await writeRules(page);
  await dialog(page).getByRole('button', { name: 'Save rules' }).click();
  await expect(dialog(page)).toBeHidden();
}

test('rules are tried on the logs of the job while they are written, and what is wrong is reported at its rule', async ({
  signedIn: page,
  service,
}) => {
  await openJob(page, service);
  await openRules(page);
  await mark(page, 1).fill('^all good$');
  await trial(page).getByLabel('Device').selectOption('unit-good');
  await expect(rule(page, 1)).toContainText('Not in this log');
  await rule(page, 1).getByRole('button', { name: 'Pattern' }).click();
  await expect(rule(page, 1)).toContainText('Line 2: ALL GOOD');
  await expect(trial(page).getByRole('status')).toHaveText('Succeeded Decided by rule “^all good$” at line 2.');
  await addRollback(page);
  await trial(page).getByLabel('Device').selectOption('unit-back');
  await expect(trial(page).getByRole('status')).toHaveText(
    'Rolled back Decided by rule “restored the previous” at line 2. The service reports Succeeded.',
  );
  await expect(trial(page)).toContainText(COUNTS);

  // A pattern that is wrong, that cannot be run, and its removal.
  await dialog(page).getByRole('button', { name: 'Add a rule' }).click();
  await rule(page, 3).getByRole('button', { name: 'Pattern' }).click();
  await mark(page, 3).fill('^(a+');
  await expect(rule(page, 3)).toContainText('It is no pattern (missing closing )');
  await mark(page, 3).fill('^(a+)+$');
  await trial(page).getByLabel('Device').selectOption('unit-mute');
  await expect(rule(page, 3)).toContainText('Not in this log');
  await mark(page, 3).fill('^a+(?=!)');
  await expect(rule(page, 3)).toContainText('Look-ahead “(?=” cannot be used: write what follows');
  await expect(trial(page).getByRole('status')).toContainText('which must be rewritten');
  await dialog(page).getByRole('button', { name: 'Save rules' }).click();
  await expect(mark(page, 3)).toHaveAttribute('aria-invalid', 'true');
  await expect(dialog(page)).toBeVisible();
  await expectAccessible(page);
  await rule(page, 3).getByRole('button', { name: 'Remove rule 3' }).click();
  await expect(trial(page).getByRole('status')).toContainText('No answer');

  // Rules that somebody else has changed meanwhile are not overwritten unasked.
  await service.call('PUT', '/v1/rules/myapp', { Rules: [{ Find: 'self test failed', Verdict: 'Failed' }] });
  await dialog(page).getByRole('button', { name: 'Save rules' }).click();
  await expect(dialog(page).getByRole('alert')).toContainText('The rules of myapp were changed meanwhile');
  await expect(mark(page, 2)).toHaveValue('restored the previous');
  await expect(dialog(page)).toContainText('Changed');
  await dialog(page).getByRole('button', { name: 'Save rules' }).click();
  await expect(row(page, 'unit-back')).toContainText('Rolled back');
});

test('rules of an earlier version are reported until those that cannot be run are rewritten, and those read differently confirmed', async ({
  signedIn: page,
  service,
}) => {
  const { ArtifactId } = await openJob(page, service, ['good']);
  const headers = { authorization: `Bearer ${service.token}`, 'content-type': 'application/json' };
  const kept = [{ Find: 'all good', Verdict: 'Succeeded' }];
  const body = JSON.stringify({ Rules: kept });
  await fetch(`${service.url}/v1/rules/myapp`, { method: 'PUT', headers, body });
  storeRules(service, [
    { Find: 'all good(?! day)', Pattern: true, CaseSensitive: false, Stream: 'both', Verdict: 'Succeeded' },
    { Find: '[^]]+ FAIL', Pattern: true, CaseSensitive: false, Stream: 'both', Verdict: 'Failed' },
  ]);
  await page.goto(`${service.url}/artifacts?dialog=details&artifact=${ArtifactId}`);
  await expect(page.getByRole('note')).toContainText(
    'An outcome rule must be rewritten, all good(?! day): look-ahead “(?!” cannot be used',
  );
  await expect(page.getByRole('note')).toContainText(
    'An outcome rule needs review. An earlier version read the pattern',
  );
  await page.goto(`${service.url}/`);
  await page.getByRole('link', { name: 'Outcome rules of myapp must be rewritten' }).click();
  await expect(rule(page, 1)).toContainText('Look-ahead “(?!” cannot be used');
  await expectAccessible(page);
  await mark(page, 1).fill('all good$');
  await expect(rule(page, 1)).toContainText('Line 2: ALL GOOD');
  await expect(dialog(page).getByRole('note', { name: 'Needs review' })).toContainText('[^]]+ FAIL');
  await dialog(page).getByRole('button', { name: 'Confirm and save' }).click();
  await expect(dialog(page)).toBeHidden();
  await page.goto(`${service.url}/`);
  await expect(page.getByRole('heading', { name: 'Overview' })).toBeVisible();
  await expect(page.getByRole('link', { name: /must be rewritten|need review/ })).toHaveCount(0);
});

test('a rule finds what rolled back with exit code 0, wherever the job is seen and whoever sees it @main', async ({
  signedIn: page,
  service,
  browser,
}) => {
  const { ArtifactId, idOf } = await openJob(page, service);
  await expect(row(page, 'unit-back')).toContainText('Succeeded');
  await expect(progress(page)).toContainText(/1.failed, 3.succeeded/);
  const other = await (await browser.newContext()).newPage();
  await signIn(other, service);
  await other.goto(`${service.url}/jobs`);
  const nightly = other.getByRole('row', { name: /nightly/ });
  await expect(nightly).toContainText(/1.failed, 3.succeeded/);

  await saveRules(page);
  await expect(row(page, 'unit-back')).toContainText('Rolled back');
  await expect(row(page, 'unit-mute')).toContainText('No answer');
  await expect(row(page, 'unit-dead')).toContainText('Failed');
  await expect(row(page, 'unit-good')).toContainText('Succeeded');
  await expect(
    row(page, 'unit-back').getByTitle(
      'Decided by rule “restored the previous” at line 2. The service reports Succeeded.',
    ),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Rolled back 1' }).click();
  await expect(row(page, 'unit-good')).toBeHidden();
  await page.reload();
  await expect(row(page, 'unit-back')).toContainText('Rolled back');
  await expect(progress(page)).toContainText(COUNTS);
  // The line of the log that decides is one click away.
  await row(page, 'unit-back').getByRole('link', { name: 'unit-back' }).click();
  await page.getByRole('button', { name: 'line 2', exact: true }).click();
  await expect(page).toHaveURL(/[?&]line=2(&|$)/);
  await page.goto(`${service.url}/devices/${idOf('back')}`);
  const queue = page.getByRole('table', { name: 'Jobs of this device' });
  await expect(queue.getByRole('row', { name: /nightly/ })).toContainText('Rolled back');

  // Rules are shared: the list of another person has changed without a reload.
  await expect(nightly).toContainText(COUNTS);
  await other.goto(`${service.url}/artifacts?dialog=rules&artifact=${ArtifactId}`);
  await expect(mark(other, 2)).toHaveValue('restored the previous');
  await expect(dialog(other)).toContainText('Changed');
  await other.context().close();
});
