// The text of a message. Its first line is the subject of an e-mail.
import type { AlertDevice } from '#/contract/alerts.ts';
import { printSqlTime } from '#/contract/timestamps.ts';
import type { EndedJob, Outcomes } from '../store/alert-jobs.ts';
import type { EventRow } from '../store/alert-outbox.ts';
import type { RuleRow } from '../store/alert-settings.ts';

export interface Site {
  site: string;
  devices: number;
  firing: number;
}

/** Names and sites in one line, lines, and devices of a message; the text says how many more there are. */
const MOST_NAMES = 10;
const MOST_LINES = 30;
const MOST_DEVICES = 1_000;

const time = (at: number) => `${printSqlTime(new Date(at)).slice(0, 16)} UTC`;
const devices = (count: number) => (count === 1 ? '1 device' : `${count} devices`);
const nameOf = ({ device_name, device_id }: EventRow) => inLine(device_name || device_id);

/** Of a name or reason: it cannot pass for lines of ours, or turn the text around it. */
export const inLine = (text: string): string =>
  text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').replaceAll(/\p{Bidi_Control}/gu, '');

function names(rows: readonly EventRow[]): string {
  const shown = rows.slice(0, MOST_NAMES).map(nameOf).join(', ');
  return rows.length > MOST_NAMES ? `${shown} and ${rows.length - MOST_NAMES} more` : shown;
}

function lines(all: readonly string[]): string {
  const rest = all.length - MOST_LINES;
  return rest > 0 ? [...all.slice(0, MOST_LINES), `and ${rest} more`].join('\n') : all.join('\n');
}

/** The sites with the most devices first. */
function bySite(rows: readonly EventRow[]): [site: string, rows: EventRow[]][] {
  const groups = Map.groupBy(rows, ({ site }) => inLine(site));
  return [...groups].sort(([, one], [, other]) => other.length - one.length);
}

const duration = (ms: number): string => {
  const minutes = Math.max(1, Math.round(ms / 60_000));
  if (minutes < 120) return minutes === 1 ? '1 minute' : `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
};

/** "12 of 14 devices of Berlin are Offline: …" for each site with several, and a line for each other device. */
function offlineLines(rows: readonly EventRow[], sites: readonly Site[]): string[] {
  return bySite(rows).flatMap(([site, group]) => {
    const [first] = group;
    if (!first) return [];
    const at = site === '' ? '' : ` (${site})`;
    if (group.length === 1) return [`${nameOf(first)}${at} is Offline since ${time(first.since)}`];
    if (site === '') return [`${devices(group.length)} without a site are Offline: ${names(group)}`];
    const known = sites.find((one) => inLine(one.site) === site);
    const count = known ? `${known.firing} of ${known.devices} devices` : devices(group.length);
    return [`${count} of ${site} are Offline: ${names(group)}`];
  });
}

function backLines(rows: readonly EventRow[]): string[] {
  return bySite(rows).flatMap(([site, group]) => {
    const [first] = group;
    if (!first) return [];
    const at = site === '' ? '' : ` (${site})`;
    if (group.length === 1) return [`${nameOf(first)}${at} is Online again, after ${duration(first.at - first.since)}`];
    return [`${devices(group.length)}${site === '' ? '' : ` of ${site}`} are Online again: ${names(group)}`];
  });
}

function textOf({ event }: RuleRow, events: readonly EventRow[], sites: readonly Site[]): string {
  if (event === 'DeviceBack') return lines(backLines(events));
  if (event === 'DeviceOffline') {
    const away = events.filter(({ fires }) => fires === 1);
    const over = events.filter(({ fires }) => fires === 0);
    const were = over.length === 1 ? 'was' : 'were';
    return lines([
      ...offlineLines(away, sites),
      ...(over.length > 0
        ? [`${names(over)} ${were} Offline meanwhile, and ${were === 'was' ? 'is' : 'are'} not any more`]
        : []),
    ]);
  }
  if (event === 'TunnelPublic')
    return lines(
      events.map((row) => `${nameOf(row)} has a tunnel to ${inLine(row.text)} that is open to anyone with its address`),
    );
  const heading = HEADINGS[event];
  const all = lines(events.map(({ text }) => inLine(text)));
  return heading && events.length > 1 ? `${events.length} ${heading}\n${all}` : all;
}

/** Of a message about several, after how many they are. */
const HEADINGS: Partial<Record<RuleRow['event'], string>> = {
  JobFailed: 'jobs did not succeed:',
  RolloutPaused: 'rollouts paused:',
  RolloutEnded: 'rollouts ended:',
};

/** A device is in a message once. */
function devicesIn(events: readonly EventRow[]): AlertDevice[] {
  const found = new Map<string, AlertDevice>();
  for (const { device_id, device_name, devices: others } of events) {
    const all =
      device_id === '' ? (JSON.parse(others) as AlertDevice[]) : [{ DeviceId: device_id, DeviceName: device_name }];
    for (const device of all) if (found.size < MOST_DEVICES) found.set(device.DeviceId, device);
  }
  return [...found.values()];
}

/** The message of these events. JobId and RolloutId are there if it is about one. */
export function messageOf(rule: RuleRow, events: readonly EventRow[], sites: readonly Site[]) {
  const only = (ids: readonly string[]) => (new Set(ids).size === 1 ? (ids[0] ?? '') : '');
  return {
    text: textOf(rule, events, sites),
    devices: devicesIn(events),
    jobId: only(events.map(({ job_id }) => job_id)),
    rolloutId: only(events.map(({ rollout_id }) => rollout_id)),
  };
}

const HOW = new Map(
  Object.entries<string>({
    Interrupted: 'was interrupted',
    RolledBack: 'was rolled back',
    NoAnswer: 'gave no answer',
  }),
);
const OUTCOMES = [
  ['Failed', 'failed'],
  ['RolledBack', 'rolled back'],
  ['NoAnswer', 'without an answer'],
  ['Interrupted', 'interrupted'],
  ['Cancelled', 'cancelled'],
] as const;

/** A job that ended badly; `outcomes` of one to many. */
export function jobText(job: EndedJob, outcomes: Outcomes): string {
  if (job.device_seq === null) {
    const total = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
    const others = OUTCOMES.flatMap(([outcome, word]) =>
      outcomes[outcome] ? [`, ${outcomes[outcome]} ${word}`] : [],
    ).join('');
    return `Job “${job.name}” ended: ${outcomes['Succeeded'] ?? 0} of ${total} succeeded${others}`;
  }
  const outcome = job.verdict ?? job.status;
  const byRules = job.verdict !== null && job.verdict !== job.status;
  const code = job.exit_code === null ? '' : `exit code ${job.exit_code}`;
  const why = byRules ? `because of ${job.verdict_because}` : job.reason || code;
  return `Job “${job.name}” ${HOW.get(outcome) ?? 'failed'} on ${job.device_name}${why === '' ? '' : ` (${why})`}`;
}

/** What fires, as a short text for a list. */
export function firingText(event: RuleRow['event'], count: number, only: string): string {
  if (event === 'DeviceOffline') return count === 1 ? 'Offline' : `${devices(count)} are Offline`;
  if (event === 'TunnelPublic') return count === 1 ? 'A tunnel is public' : `${count} tunnels are public`;
  return count === 1 ? only : `${count} limits are nearly reached`;
}
