// A rollout to ten thousand devices in five waves, over the agents' real connections, while its page is open: what it costs
// the service and the page, beside one job to all of them at once.
import { setTimeout } from 'node:timers/promises';
import { chromium, type Page } from '@playwright/test';
import { findBrowser, launchOptions } from '../browser.ts';
import { buildIfStale } from '../dist.ts';
import { connectAgents } from './fake-agents.ts';
import { post, request, withService, type MeasuredService } from './measured-service.ts';
import { milliseconds, type Row, type Section } from './section.ts';
import { openPage, shows } from './service-page.ts';
import { LONG, busy, longestTask, sessionOf } from './watched-page.ts';

const DEVICES = 10_000;
const GROUP = 'bench';
const WAVES = [5, 20, 50, 80, 100].map((Percent) => ({ Percent }));
/** Milliseconds in which a rollout only waits. */
const WAITING = 20_000;

async function rollOut(measured: MeasuredService, WorkflowId: string, gate: { OnlineMinutes: number }) {
  const { RolloutId } = await post<{ RolloutId: string }>(measured, '/v1/rollout', {
    Name: 'bench',
    DeviceGroup: GROUP,
    WorkflowId,
    Waves: WAVES,
    Gate: { SuccessPercent: 100, TimeoutMinutes: 60, ...gate },
    PauseAfter: { FailedCount: 0 },
    Advance: 'auto',
    IncludeNew: false,
  });
  return RolloutId;
}

async function until(measured: MeasuredService, id: string, isSo: (rollout: Reached) => boolean): Promise<void> {
  while (!isSo((await request(measured, `/v1/rollout/${id}`)) as Reached)) await setTimeout(100);
}
interface Reached {
  State: string;
  Waves: { Gate: { Success: number; Needed: number } }[];
}

export const rollouts: Section = async () => {
  const subject = `${DEVICES.toLocaleString('en-US')} devices in ${WAVES.length} waves, each a real connection`;
  if (!findBrowser()) {
    process.stderr.write('There is no browser on this machine, so rollouts are not measured.\n');
    return { subject, rows: [] };
  }
  await buildIfStale();
  return withService(async (measured) => {
    const { keys } = await measured.send('devices', { count: DEVICES, group: GROUP, keys: true });
    const agents = await connectAgents(measured.url, keys);
    const { WorkflowId } = await post<{ WorkflowId: string }>(measured, '/v1/workflow', { Name: GROUP, Command: ':' });
    const browser = await chromium.launch(launchOptions());
    try {
      const used = async () => (await measured.send('processor', null)).used;
      const job = await used();
      const settled = agents.allSettled();
      await post(measured, '/v1/job', { Name: GROUP, DeviceGroup: GROUP, WorkflowId });
      await settled;
      const atOnce = { what: 'one job to all of them', figure: milliseconds((await used()) - job) };

      const waves = await rollOut(measured, WorkflowId, { OnlineMinutes: 0 });
      const before = await used();
      const begun = performance.now();
      await until(measured, waves, ({ State }) => State === 'Succeeded');
      const elapsed = milliseconds(performance.now() - begun);
      const inWaves = milliseconds((await used()) - before);

      // Its first wave succeeds, and then has to stay Online.
      const waiting = await rollOut(measured, WorkflowId, { OnlineMinutes: 60 });
      const isSuccessful = ({ Waves: [first] }: Reached) =>
        first !== undefined && first.Gate.Success >= first.Gate.Needed;
      const page = await openPage(browser, measured, `/rollouts/${waiting}`);
      await until(measured, waiting, isSuccessful);
      await shows(page, 'not Online for long enough yet');
      const idle = await used();
      await setTimeout(WAITING);
      const share = (((await used()) - idle) / WAITING) * 100;
      await page.close();

      const watched = await rollOut(measured, WorkflowId, { OnlineMinutes: 0 });
      const seen = await openPage(browser, measured, `/rollouts/${watched}`);
      // Asked of the service: a look at each frame would cost the page more than all else.
      const whole = () => until(measured, watched, ({ State }) => State === 'Succeeded');
      const rows = await costOf(seen, { browser, whole });
      return {
        subject,
        rows: [
          { what: 'until all waves have passed', figure: elapsed },
          { what: 'processor time of the service for it', figure: inWaves, against: atOnce },
          { what: 'share of a core while it only waits, its page open', figure: { value: share, unit: '%' } },
          ...rows,
        ],
      };
    } finally {
      await browser.close();
      await agents.close();
    }
  });
};

interface Watching {
  browser: Parameters<typeof longestTask>[0];
  whole: () => Promise<unknown>;
}

/** Of the page's main thread, from when it is open until all waves have passed. */
async function costOf(page: Page, { browser, whole }: Watching): Promise<Row[]> {
  const session = await sessionOf(page);
  let longest = milliseconds(0);
  const worked = await busy(page, session, async () => {
    longest = await longestTask(browser, page, whole);
  });
  await page.close();
  return [
    { what: 'its page meanwhile: longest task', figure: longest, against: LONG },
    { what: 'its page meanwhile: main thread', figure: milliseconds(worked) },
  ];
}
