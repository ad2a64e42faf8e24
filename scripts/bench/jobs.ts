// Two pages about many jobs: a job on ten thousand devices, with the work to draw them and to group the failures, and the
// list of a hundred thousand jobs.
import type { Browser } from '@playwright/test';
import { inBrowser } from './in-browser.ts';
import { ask } from './load.ts';
import { post, request, signedInPage, withService } from './measured-service.ts';
import { kilobytes, median, milliseconds, type Row, type Section } from './section.ts';
import { json, startStaticHost } from './static-host.ts';
import { LONG, busy, longestTask, opened, sessionOf } from './watched-page.ts';

const CHILDREN = 10_000;
const FAILED = 2_500;
const RUNS = 3;
const LISTED = 100_000;
const JOBS_A_DEVICE = 1_000;
const CLIENTS = 16;
const CAUSES = ['No space left on device', 'Permission denied', 'Connection refused', 'self test failed: bus silent'];

const STEPS = Array.from({ length: 20 }, (_, n) => `[${n}] unpacking layer ${n * 77} to /var/lib/x/${n}\n`).join('');

/** With about a kilobyte of output, and a cause at its end if it failed. */
function childJob(n: number) {
  const failed = n % (CHILDREN / FAILED) === 0;
  const cause = CAUSES[((n / 4) % CAUSES.length) | 0] ?? '';
  const Stdout = `unit ${n} begins\n${STEPS}${failed ? '' : 'installed\n'}`;
  const Stderr = failed
    ? `./update.sh: line ${n % 40}: write /data/${n}.img: ${cause}\nupdate failed after ${n} ms\n`
    : '';
  return {
    JobId: `child-${n}`,
    JobName: 'Update',
    ParentJobId: 'bench',
    DeviceId: `device-${n}`,
    DeviceName: `unit-${n}`,
    Command: 'update',
    StartTime: 'Nov 2, 2026, 10:00:00 UTC',
    EndTime: `Nov 2, 2026, 10:${String(n % 60).padStart(2, '0')}:30 UTC`,
    Status: failed ? 'Failed' : 'Succeeded',
    ExitCode: failed ? 1 : 0,
    Stdout,
    Stderr,
    Result: Stdout + Stderr,
  };
}

type Child = ReturnType<typeof childJob>;

const OMITTED = new Set(['Command', 'Stdout', 'Stderr', 'Result']);
/** What the list of states has of a child, and what the list of outputs has. */
const stateOf = (child: Child) => Object.fromEntries(Object.entries(child).filter(([name]) => !OMITTED.has(name)));
const outputFor = (child: Child | undefined) => ({
  JobId: child?.JobId ?? '',
  Stdout: child?.Stdout ?? '',
  Stderr: child?.Stderr ?? '',
  Result: '',
});

const PARENT = {
  JobId: 'bench',
  JobName: 'Update',
  DeviceId: '',
  DeviceGroup: 'all',
  Command: 'update',
  StartTime: 'Nov 2, 2026, 10:00:00 UTC',
  EndTime: 'Nov 2, 2026, 11:00:00 UTC',
  Result: '',
  Counts: { Succeeded: CHILDREN - FAILED, Failed: FAILED },
};

/** What a parent has written itself. */
const EMPTY = { Text: '', Offset: 0, Next: 0, Size: 0 };

/** The same answer parsed at once, with a row for each. */
const PLAIN = `(text) => {
  const table = document.createElement('table');
  for (const job of JSON.parse(text)) {
    const row = table.insertRow();
    for (const value of [job.DeviceName, job.Status, job.ExitCode, job.StartTime, job.EndTime, job.Result.slice(-80)])
      row.insertCell().textContent = value;
  }
  document.body.replaceChildren(table);
}`;

/** True when the page is drawn and its failures are grouped. */
const DRAWN = `document.querySelector('table[aria-label="Devices of this job"] tbody a') &&
  document.querySelector('section[aria-labelledby=failures] button[aria-expanded]')`;

export const jobs: Section = async () => ({
  subject: `a job of ${CHILDREN.toLocaleString('en-US')} devices with 1 kB of output each, ${FAILED.toLocaleString('en-US')} failed; a list of ${LISTED.toLocaleString('en-US')} jobs`,
  rows: await inBrowser(async (browser) => [...(await jobPageRows(browser)), ...(await jobListRows(browser))]),
});

async function jobPageRows(browser: Browser): Promise<Row[]> {
  const all = Array.from({ length: CHILDREN }, (_, n) => childJob(n));
  const children = JSON.stringify(all);
  const states = JSON.stringify({ Version: 'bench-1', Reset: false, Children: all.map(stateOf) });
  const outputs = (ids: string) => ids.split(',').map((id) => outputFor(all[Number(id.slice(6))]));
  const host = await startStaticHost(({ pathname, searchParams }) => {
    if (pathname === '/v1/job') return json([PARENT]);
    if (pathname === '/v1/job/bench') return json(PARENT);
    if (pathname === '/v1/job/bench/output') return json({ Job: PARENT, Stdout: EMPTY, Stderr: EMPTY, More: false });
    if (pathname === '/v1/job/bench/childjobs') return json(searchParams.has('since') ? states : children);
    return pathname === '/v1/job/bench/outputs' ? json(outputs(searchParams.get('ids') ?? '')) : undefined;
  });
  try {
    const drawn: number[] = [];
    const longest: number[] = [];
    const plain: number[] = [];
    for (let run = 0; run < RUNS; run++) {
      const page = await opened(browser, `${host.url}/jobs`);
      const session = await sessionOf(page);
      const link = page.getByRole('link', { name: PARENT.JobName });
      const open = async () => {
        await link.click();
        await page.waitForFunction(DRAWN, undefined, { timeout: 60_000 });
      };
      await link.waitFor();
      drawn.push(await busy(page, session, open));
      await page.goto(`${host.url}/jobs`);
      await link.waitFor();
      longest.push((await longestTask(browser, page, open)).value);
      await page.evaluate(
        "fetch('/v1/job/bench/childjobs').then((answer) => answer.text()).then((text) => { window.text = text; })",
      );
      plain.push(await busy(page, session, () => page.evaluate(`(${PLAIN})(window.text)`)));
      await page.close();
    }
    const parsed = { what: 'parsed at once, a plain row each', figure: milliseconds(median(plain)) };
    const task = milliseconds(median(longest));
    return [
      {
        what: 'job page, drawn and failures grouped, main thread',
        figure: milliseconds(median(drawn)),
        against: parsed,
      },
      { what: 'job page, longest task', figure: task, against: LONG },
    ];
  } finally {
    host.close();
  }
}

/** The list on the real service: how soon its rows are drawn, and what of the API it takes. */
const jobListRows = (browser: Browser): Promise<Row[]> =>
  withService(async (service) => {
    const { url, headers, send } = service;
    await send('devices', { count: LISTED / JOBS_A_DEVICE, group: 'listed', keys: false });
    const { WorkflowId } = await post<{ WorkflowId: string }>(service, '/v1/workflow', { Name: 'w', Command: 'true' });
    const { Devices } = (await request(service, `/v1/devices/1/${LISTED / JOBS_A_DEVICE}`)) as {
      Devices: { DeviceId: string }[];
    };
    for (const { DeviceId } of Devices) {
      const body = JSON.stringify({ Name: 'Update', DeviceId, WorkflowId });
      await ask(url, { method: 'POST', path: '/v1/job', headers, body }, CLIENTS, (done) => done >= JOBS_A_DEVICE);
    }
    const page = await signedInPage(browser, service, '/settings/usage');
    const session = await sessionOf(page);
    let received = 0;
    session.on('Network.dataReceived', ({ encodedDataLength }) => (received += encodedDataLength));
    await page.locator('nav[aria-label=Main] a[href="/jobs"]').waitFor();
    await session.send('Network.enable');
    const begun = performance.now();
    await page.locator('nav[aria-label=Main] a[href="/jobs"]').click();
    await page.locator('tbody tr').nth(9).waitFor({ timeout: 60_000 });
    const shown = performance.now() - begun;
    await page.close();
    return [
      {
        what: 'list of jobs, until its rows are drawn',
        figure: milliseconds(shown),
        against: { what: 'the goal', figure: milliseconds(1_000) },
      },
      {
        what: 'list of jobs, received until then',
        figure: kilobytes(received),
        against: { what: 'the goal', figure: kilobytes(100_000) },
      },
    ];
  });
