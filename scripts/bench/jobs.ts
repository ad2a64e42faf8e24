// The page of a job on ten thousand devices: how long until its devices are drawn and its failures grouped, how long the
// page stands still meanwhile, and how long grouping takes by itself.
import { chromium } from '@playwright/test';
import type { Page } from '@playwright/test';
import { Grouper } from '#/jobs/failures/grouper.ts';
import type { Failure } from '#/jobs/failures/grouper.ts';
import { findBrowser, launchOptions } from '../browser.ts';
import { buildIfStale } from '../dist.ts';
import { withService } from './measured-service.ts';
import { median, milliseconds, timeOf } from './section.ts';
import type { Row, Section } from './section.ts';

const CHILDREN = 10_000;
const FAILED = 2_500;
const RUNS = 3;
const CAUSES = ['No space left on device', 'Permission denied', 'Connection refused', 'self test failed: bus silent'];

const filler = Array.from({ length: 200 }, (_, n) => `[${n}] unpacking layer ${n * 77} to /var/lib/x/${n}\n`).join('');

/** About so many characters of output, a cause at the end where it failed. */
function outputOf(n: number, length: number): { Stdout: string; Stderr: string } {
  const failed = n % (CHILDREN / FAILED) === 0;
  const cause = CAUSES[((n / 4) % CAUSES.length) | 0] ?? '';
  return {
    Stdout: `unit ${n} begins\n${filler.slice(0, length - 120)}\n${failed ? '' : 'installed\n'}`,
    Stderr: failed ? `./update.sh: line ${n % 40}: write /data/${n}.img: ${cause}\nupdate failed after ${n} ms\n` : '',
  };
}

function childJob(n: number) {
  const { Stdout, Stderr } = outputOf(n, 1_000);
  return {
    JobId: `child-${n}`,
    JobName: 'Update',
    ParentJobId: 'bench',
    DeviceId: `device-${n}`,
    DeviceName: `unit-${n}`,
    Command: 'update',
    StartTime: 'Nov 2, 2026, 10:00:00 UTC',
    EndTime: `Nov 2, 2026, 10:${String(n % 60).padStart(2, '0')}:30 UTC`,
    Status: Stderr === '' ? 'Succeeded' : 'Failed',
    ExitCode: Stderr === '' ? 0 : 1,
    Stdout,
    Stderr,
    Result: Stdout + Stderr,
  };
}

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

/** Notes when the children's answer has come, when rows are seen, and the tasks in between. */
const WATCH = `
const bench = (window.bench = { longest: 0 });
const original = window.fetch;
window.fetch = async (...request) => {
  const response = await original(...request);
  if (!String(request[0]).includes('childjobs')) return response;
  const text = await response.text();
  bench.come = performance.now();
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      if (startTime + duration > bench.come) bench.longest = Math.max(bench.longest, duration);
  }).observe({ type: 'longtask' });
  response.text = async () => text;
  return response;
};
new MutationObserver(() => {
  if (!bench.come) return;
  if (!bench.rows && document.querySelector('table[aria-label="Devices of this job"] tbody a')) bench.rows = performance.now();
  if (!bench.groups && document.querySelector('section[aria-labelledby=failures] button[aria-expanded]')) bench.groups = performance.now();
}).observe(document, { childList: true, subtree: true });
`;

interface Watched {
  longest: number;
  come: number;
  rows: number;
  groups: number;
}

/** The same answer parsed in one go, with a row for each. */
const PLAIN = `(text) => {
  const begun = performance.now();
  const table = document.createElement('table');
  for (const job of JSON.parse(text)) {
    const row = table.insertRow();
    for (const value of [job.DeviceName, job.Status, job.ExitCode, job.StartTime, job.EndTime, job.Result.slice(-80)])
      row.insertCell().textContent = value;
  }
  document.body.replaceChildren(table);
  document.body.getBoundingClientRect();
  return performance.now() - begun;
}`;

async function pageRows(): Promise<Row[]> {
  if (!findBrowser()) {
    process.stderr.write('There is no browser on this machine, so the page of a job is not measured.\n');
    return [];
  }
  await buildIfStale();
  const answer = JSON.stringify(Array.from({ length: CHILDREN }, (_, n) => childJob(n)));
  const figures = await withService(async ({ url, headers }) => {
    const browser = await chromium.launch(launchOptions());
    try {
      const watched: Watched[] = [];
      const plain: number[] = [];
      for (let run = 0; run < RUNS; run++) {
        const context = await browser.newContext({ bypassCSP: true }); // for the code that watches
        const Token = (headers['Authorization'] ?? '').replace('Bearer ', '');
        await context.request.post(`${url}/auth/session`, { data: { Token }, headers: { origin: url } });
        const page = await context.newPage();
        await page.route('**/v1/job/bench', (route) => route.fulfill({ json: PARENT }));
        await page.route('**/v1/job/bench/childjobs', (route) =>
          route.fulfill({ body: answer, contentType: 'application/json' }),
        );
        await page.addInitScript(WATCH);
        await page.goto(`${url}/jobs/bench`);
        watched.push(await settled(page));
        plain.push(await page.evaluate<number>(`(${PLAIN})(${JSON.stringify(answer)})`));
        await context.close();
      }
      return { watched, plain: median(plain) };
    } finally {
      await browser.close();
    }
  });
  const of = (read: (watched: Watched) => number) => milliseconds(median(figures.watched.map(read)));
  const plain = { what: 'parsed at once, a plain row each', figure: milliseconds(figures.plain) };
  return [
    { what: 'answer to devices drawn, Chromium', figure: of(({ come, rows }) => rows - come), against: plain },
    { what: 'answer to failures grouped', figure: of(({ come, groups }) => groups - come), against: plain },
    { what: 'longest task of the page, 0 below 50 ms', figure: of(({ longest }) => longest), against: plain },
  ];
}

async function settled(page: Page): Promise<Watched> {
  await page.waitForFunction('window.bench.rows && window.bench.groups', undefined, { timeout: 60_000 });
  return (await page.evaluate('window.bench')) as Watched;
}

function groupingRows(): Row[] {
  const failures = Array.from({ length: CHILDREN }, (_, n): Failure => {
    const { Stdout, Stderr } = outputOf(n * (CHILDREN / FAILED), 4_000);
    return {
      key: String(n),
      ended: 'Failed',
      exitCode: 1,
      names: [`unit-${n}`],
      stdout: Stdout,
      stderr: Stderr,
      said: '',
    };
  });
  const text = JSON.stringify(failures);
  const group = () => {
    const grouper = new Grouper();
    for (const failure of failures) grouper.put(failure);
    const groups = grouper.all();
    if (groups.length !== CAUSES.length) throw new Error(`${groups.length} groups of ${CAUSES.length} causes.`);
  };
  const byLastLine = () => new Map(failures.map(({ stderr, key }) => [stderr.trimEnd().split('\n').at(-1), key]));
  const parse = {
    what: 'JSON.parse of the same logs',
    figure: milliseconds(timeOf(() => JSON.parse(text) as unknown)),
  };
  return [
    {
      what: `${CHILDREN.toLocaleString('en-US')} logs of 4 kB in groups`,
      figure: milliseconds(timeOf(group)),
      against: parse,
    },
    {
      what: 'the same',
      figure: milliseconds(timeOf(group)),
      against: { what: 'a map by the very last line', figure: milliseconds(timeOf(byLastLine)) },
    },
  ];
}

export const jobs: Section = async () => ({
  subject: `${CHILDREN.toLocaleString('en-US')} devices with 1 kB of output, ${FAILED.toLocaleString('en-US')} of them failed`,
  rows: [...(await pageRows()), ...groupingRows()],
});
