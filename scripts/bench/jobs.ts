// The page of a job on ten thousand devices: the work to draw them and to group its failures, how long the page is
// blocked meanwhile, and the time of grouping alone. Two other long lists are compared: queues and artifacts.
import { chromium } from '@playwright/test';
import { Grouper, type DeviceFailure } from '../../src/features/failure-groups/grouper.ts';
import { findBrowser, launchOptions } from '../browser.ts';
import { buildIfStale } from '../dist.ts';
import { answering, serveDist } from './dist-host.ts';
import { longListRows } from './long-lists.ts';
import { median, milliseconds, timeOf, type Row, type Section } from './section.ts';
import { watcherRows } from './watched-job.ts';
import { LONG, busy, longestTask, opened, sessionOf } from './watched-page.ts';

const CHILDREN = 10_000;
const FAILED = 2_500;
const RUNS = 3;
const CAUSES = ['No space left on device', 'Permission denied', 'Connection refused', 'self test failed: bus silent'];

const filler = Array.from({ length: 200 }, (_, n) => `[${n}] unpacking layer ${n * 77} to /var/lib/x/${n}\n`).join('');

/** Output of about this many characters, with a cause at its end if it failed. */
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

async function pageRows(): Promise<Row[]> {
  if (!findBrowser()) {
    process.stderr.write('There is no browser on this machine, so the page of a job is not measured.\n');
    return [];
  }
  await buildIfStale();
  const all = Array.from({ length: CHILDREN }, (_, n) => childJob(n));
  const children = JSON.stringify(all);
  const states = JSON.stringify({ Version: 'bench-1', Reset: false, Children: all.map(stateOf) });
  const outputs = (ids: string) => JSON.stringify(ids.split(',').map((id) => outputFor(all[Number(id.slice(6))])));
  const host = await serveDist(
    answering({
      '/v1/job': JSON.stringify([PARENT]),
      '/v1/job/bench': JSON.stringify(PARENT),
      '/v1/job/bench/childjobs': (query) => (query.has('since') ? states : children),
      '/v1/job/bench/outputs': (query) => outputs(query.get('ids') ?? ''),
    }),
  );
  const browser = await chromium.launch(launchOptions());
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
      { what: 'opened, drawn and failures grouped, main thread', figure: milliseconds(median(drawn)), against: parsed },
      { what: 'opened, longest task', figure: task, against: LONG },
    ];
  } finally {
    await browser.close();
    host.close();
  }
}

function groupingRows(): Row[] {
  const failures = Array.from({ length: CHILDREN }, (_, n): DeviceFailure => {
    const { Stdout, Stderr } = outputOf(n * (CHILDREN / FAILED), 4_000);
    return {
      key: String(n),
      ended: 'Failed',
      exitCode: 1,
      names: [`unit-${n}`],
      stdout: Stdout,
      stderr: Stderr,
      reason: '',
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
  rows: [...(await pageRows()), ...(await watcherRows()), ...(await longListRows()), ...groupingRows()],
});
