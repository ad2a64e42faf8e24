// The history of states, an addition.
import { setImmediate as otherRequests } from 'node:timers/promises';
import { MAX_REPLAY_DAYS } from '#/contract/history.ts';
import type { historyEndpoints, ServiceGap, DeviceStateChange } from '#/contract/history.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import type { Context } from '../context.ts';
import type { Handlers } from '../http/implement.ts';
import type { Reader } from '../store/database.ts';
import { deviceById, type DeviceRow } from '../store/devices.ts';
import { JsonResponse } from '../http/json-response.ts';
import { InvalidInput } from '../store/errors.ts';
import { scopeOf } from '../store/scope.ts';
import { stateReplay } from '../store/state-replay.ts';
import { replayJson } from './replay.ts';
import {
  CAUSES,
  createdAt,
  gapsIn,
  isOnline,
  lastChange,
  stateChanges,
  type Cause,
  type ListedChange,
  type Span,
} from '../store/state-history.ts';

const DEFAULT_LIMIT = 100;
const HOUR_MS = 60 * 60 * 1000;
const CAUSE_WORDS: Record<Cause, string> = {
  [CAUSES.connected]: 'Connected',
  [CAUSES.firstConnected]: 'FirstConnected',
  [CAUSES.disconnected]: 'Disconnected',
  [CAUSES.newKey]: 'NewKey',
  [CAUSES.notBack]: 'NotBack',
};

const time = (at: number): string => printIsoTime(new Date(at));
/** A cause in the terms of the API. */
export const causeWord = (cause: Cause): string => CAUSE_WORDS[cause];
export const stateWord = (cause: Cause | undefined): string =>
  cause !== undefined && isOnline(cause) ? 'Online' : 'Offline';
const changeOf = ({ id, at, cause }: ListedChange): DeviceStateChange => ({
  DeviceId: id,
  State: stateWord(cause),
  Time: time(at),
  Cause: causeWord(cause),
});
const gapOf = ({ from, to }: Span): ServiceGap => ({ From: time(from), To: time(to) });

/** When the service went down and came back up, from `from` on and before `to`. */
async function gapEdges(db: Reader, { id, seq }: DeviceRow, { from, to }: Span) {
  const gaps = await gapsIn(db, { from: from - 1, to });
  const edge = (at: number, State: string, Cause: string) => ({
    at,
    item: { DeviceId: id, State, Time: time(at), Cause },
  });
  const isHere = (at: number) => at >= from && at < to;
  const downs = gaps.filter((gap) => isHere(gap.from)).map((gap) => edge(gap.from, 'Unknown', 'ServiceDown'));
  const ups: typeof downs = [];
  for (const gap of gaps)
    if (isHere(gap.to)) ups.push(edge(gap.to, stateWord((await lastChange(db, seq, gap.to))?.cause), 'ServiceUp'));
  return { downs, ups };
}

export function historyRoutes({ db, now, availabilities, series }: Context): Handlers<typeof historyEndpoints> {
  return {
    changes: async (request) => {
      const { device_id, from, to, limit, before } = request.query;
      const scope = scopeOf(request);
      const device = device_id === undefined ? undefined : await deviceById(db, scope, device_id);
      const most = Number(limit ?? DEFAULT_LIMIT);
      const span = { from: from ? Date.parse(from) : 0, to: to ? Date.parse(to) + 1 : now() + 1 };
      const [at, seq] = before ? before.split('-').map(Number) : [];
      const position = at === undefined || seq === undefined ? undefined : { at, device_seq: seq };
      const rows = await stateChanges(db, scope, {
        ...span,
        device: device?.seq,
        before: position,
        limit: most + 1,
      });
      const shown = rows.slice(0, most);
      const last = shown.at(-1);
      const hasMore = rows.length > most && last !== undefined;
      const Next = hasMore ? `${last.at}-${last.device_seq}` : '';
      if (!device) return { Items: shown.map(changeOf), Next };
      // The edges of gaps that belong between the rows of this page; a gap may start at the last row.
      const begin = Math.max(span.from, await createdAt(db, device.seq));
      const page = { from: hasMore ? last.at : begin, to: position?.at ?? span.to };
      const { downs, ups } = await gapEdges(db, device, page);
      const rowsHere = shown.map((row) => ({ at: row.at, item: changeOf(row) }));
      // At the same moment, ServiceUp comes before the change and ServiceDown after it.
      const items = [...downs, ...rowsHere, ...ups].sort((one, two) => two.at - one.at);
      return { Items: items.map(({ item }) => item), Next };
    },

    summary: async (request) => {
      const { hours = '24', by = 'device', sort = 'changes', steps, limit, before } = request.query;
      const scope = scopeOf(request);
      const known = await availabilities.of(request.account.id, Number(hours) * HOUR_MS);
      const sorted = known.sorted(by, sort, scope);
      const first = Number(before || 0);
      const end = first + Number(limit ?? DEFAULT_LIMIT);
      const rows = sorted.slice(first, end);
      const keys = rows.map(({ Key }) => Key);
      const strips = steps && (await known.strips(db, { by, steps: Number(steps), scope }, keys));
      return {
        From: time(known.span.from),
        To: time(known.span.to),
        Gaps: known.gaps.map(gapOf),
        Items: strips ? rows.map((row, at) => ({ ...row, Strip: strips[at] ?? [] })) : rows,
        Next: end < sorted.length ? String(end) : '',
      };
    },

    series: (request) => {
      const { hours = '24', step } = request.query;
      return series.of(scopeOf(request), Number(hours), step === undefined ? undefined : Number(step));
    },

    replay: async (request) => {
      const { from, to } = request.query;
      const end = to ? Date.parse(to) : now();
      const asked = from ? Date.parse(from) : end - 24 * HOUR_MS;
      const begin = Math.floor(asked / 1000) * 1000;
      if (begin >= end)
        throw new InvalidInput('No time to replay', '`from` must be before `to`, by a second at least.');
      if (end - asked > MAX_REPLAY_DAYS * 24 * HOUR_MS)
        throw new InvalidInput('Too long to replay', `A replay covers at most ${MAX_REPLAY_DAYS} days.`);
      const span = { from: begin, to: end };
      const replay = await stateReplay(db, scopeOf(request), span, otherRequests);
      const gaps = (await gapsIn(db, span)).map(gapOf);
      return new JsonResponse(replayJson(time(begin), replay, gaps), undefined, { compressible: true });
    },
  };
}
