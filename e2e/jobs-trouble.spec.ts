// Jobs in spite of trouble: kill -9 of the service, of the agent and of all of a device in
// the middle of a job. What each job did to the device is counted: never twice.
import { readdirSync } from 'node:fs';
import { expect, test } from './fixtures.ts';
import {
  deployButton,
  heading,
  jobs,
  log,
  openDeploy,
  script,
  statusOf,
  submit,
  textOf,
  jobSandbox,
} from './job-sandbox.ts';

test.use({ ownService: true });

/** Ids of the processes that were started with a text among their arguments. */
const processesWith = (text: string) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => textOf(`/proc/${pid}/cmdline`).includes(text))
    .map(Number);

/** One may have ended with another before its turn. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

test.describe('when no answer comes', () => {
  // The browser itself reports each request that got no answer.
  test.use({ expectedConsole: [/net::ERR_/] });

  test('kill -9 of the service in the middle of a job: the page reports it and recovers, and the job ran once', async ({
    signedIn: page,
    service,
  }) => {
    const sandbox = await jobSandbox(service);
    const { DeviceId, DeviceKey } = await service.createDevice('pump');
    const artifact = await script(
      service,
      sandbox,
      'pump.sh',
      sandbox.trace('begin'),
      'echo pumping',
      sandbox.gate('stop'),
      'echo pumped',
      sandbox.trace('end'),
    );
    await service.agent(DeviceKey);
    await openDeploy(page, service, { device: DeviceId, artifact });
    await deployButton(page).click();
    await expect(log(page, 'pump')).toContainText('pumping');

    await service.stop('SIGKILL');
    await expect(page.getByRole('status').filter({ hasText: 'The service cannot be reached' })).toBeVisible();
    await expect(log(page, 'pump')).toContainText('pumping');
    await sandbox.open('stop');
    await expect.poll(sandbox.traces).toEqual(['begin', 'end']);

    await service.start();
    await expect(heading(page)).toContainText('Succeeded', { timeout: 60_000 });
    await expect(page.getByRole('alert')).toHaveCount(0);
    await expect(log(page, 'pump')).toHaveText('pumpingpumped');
    expect(await sandbox.traces()).toEqual(['begin', 'end']);
    expect(await jobs(service)).toHaveLength(1);
  });
});

test('kill -9 of the agent in the middle of a job: the next agent takes it over, and the job ran once', async ({
  signedIn: page,
  service,
}) => {
  const sandbox = await jobSandbox(service);
  const data = await service.folder('agent');
  const { DeviceId, DeviceKey } = await service.createDevice('fan');
  const artifact = await script(
    service,
    sandbox,
    'fan.sh',
    sandbox.trace('begin'),
    'echo turning',
    sandbox.gate('stop'),
    'echo turned',
    sandbox.trace('end'),
  );
  const agent = await service.agent(DeviceKey, { data });
  const id = await submit(service, { Name: 'turn', DeviceId, ArtifactId: artifact });
  await page.goto(`${service.url}/jobs/${id}`);
  await expect(log(page, 'fan')).toHaveText('turning');
  await agent.end('SIGKILL');
  await sandbox.open('stop');
  await expect.poll(sandbox.traces).toEqual(['begin', 'end']);
  expect(await statusOf(service, id)).toBe('Running');

  await service.agent(DeviceKey, { data });
  await expect(heading(page)).toHaveText('turn Succeeded');
  await expect(log(page, 'fan')).toHaveText('turningturned');
  expect(await sandbox.traces()).toEqual(['begin', 'end']);
});

test('a device that loses its power in the middle of a job: Interrupted, with what that means, and not run again', async ({
  signedIn: page,
  service,
}) => {
  const sandbox = await jobSandbox(service);
  const data = await service.folder('agent');
  const { DeviceId, DeviceKey } = await service.createDevice('lamp');
  const artifact = await script(service, sandbox, 'lamp.sh', sandbox.trace('begin'), 'echo on', sandbox.gate('never'));
  const after = await script(service, sandbox, 'after.sh', sandbox.trace('after'));
  const agent = await service.agent(DeviceKey, { data });
  const id = await submit(service, { Name: 'light', DeviceId, ArtifactId: artifact });
  const next = await submit(service, { Name: 'next', DeviceId, ArtifactId: after });
  await page.goto(`${service.url}/jobs/${id}`);
  await expect(log(page, 'lamp')).toHaveText('on');
  for (const pid of processesWith(data)) kill(pid);
  await agent.end('SIGKILL');

  await service.agent(DeviceKey, { data });
  await expect(heading(page)).toHaveText('light Interrupted');
  await expect(page.getByText('It was not run again, because how far it got is unknown.')).toBeVisible();
  await expect(log(page, 'lamp')).toHaveText('on');
  await page.goto(`${service.url}/jobs/${next}`);
  await expect(heading(page)).toHaveText('next Succeeded');
  expect(await sandbox.traces()).toEqual(['begin', 'after']);
});
