// Everything that happened to a device in chronological order, and notes about it; an addition.
import { actionText } from '#/contract/audit-actions.ts';
import { CAUSE_TEXTS } from '#/contract/history.ts';
import { TIMELINE_KINDS, type TimelineItem, type TimelineKind, type timelineEndpoints } from '#/contract/timeline.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import type { Context } from '../context.ts';
import { idempotencyKey } from '../http/idempotency-key.ts';
import type { Handlers } from '../http/implement.ts';
import { notFound } from '../store/errors.ts';
import type { Reader } from '../store/database.ts';
import { deviceById, type DeviceRow } from '../store/devices.ts';
import { scopeOf, wholeAccount } from '../store/scope.ts';
import { gapsIn, stateChanges } from '../store/state-history.ts';
import { runOnce } from '../store/submissions.ts';
import {
  deleteNote,
  deviceEdits,
  insertNote,
  jobEvents,
  notesOf,
  tunnelEvents,
  type EventRange,
} from '../store/timeline.ts';
import { hashNewest } from './audit.ts';
import { namesOf } from './audit-names.ts';
import { causeWord, stateWord } from './history.ts';

const DEFAULT_LIMIT = 50;

/** An item whose actor's name has not been looked up yet. */
interface Found extends Omit<TimelineItem, 'Time' | 'Actor' | 'ActorName' | 'Kind'> {
  at: number;
  Kind: TimelineKind;
  actor: string;
}

type Source = (db: Reader, device: DeviceRow, part: EventRange) => Promise<Found[]>;

const states: Source = async (db, { seq, account_id }, { before, limit }) => {
  const span = { from: 0, to: before };
  const changes = await stateChanges(db, wholeAccount(account_id), { ...span, device: seq, limit });
  const found = changes.map(({ at, cause }): Found => {
    const word = causeWord(cause);
    const State = stateWord(cause);
    return { Id: `state-${at}`, at, Kind: 'state', Text: `${State}: ${CAUSE_TEXTS[word]}`, actor: '', State };
  });
  // Gaps belong between the changes of the device; before its first change nothing is missing.
  const oldest = changes.at(-1)?.at ?? before;
  const gaps = (await gapsIn(db, { from: oldest - 1, to: before }))
    .filter(({ from }) => from >= oldest)
    .map(({ from }): Found => {
      const Text = `Unknown: ${CAUSE_TEXTS['ServiceDown']}`;
      return { Id: `gap-${from}`, at: from, Kind: 'state', Text, actor: '', State: 'Unknown' };
    });
  // A gap may start at the time of a change, and then comes after it.
  return [...gaps, ...found];
};

const jobs: Source = async (db, { seq }, part) =>
  (await jobEvents(db, seq, part)).map(({ at, id, parent_id, name, status }) => ({
    Id: `job-${id}-${status || 'Submitted'}`,
    at,
    Kind: 'job',
    Text: status === '' ? `Job submitted: ${name}` : `Job ${status.toLowerCase()}: ${name}`,
    actor: '',
    State: status || 'Waiting',
    JobId: id,
    ...(parent_id !== null && { ParentId: parent_id }),
  }));

const edits =
  (kind: 'edit' | 'key'): Source =>
  async (db, { id, account_id }, part) =>
    (await deviceEdits(db, account_id, id, part, kind)).map(({ seq, at, actor, action, tag }) => ({
      Id: `audit-${seq}`,
      at,
      Kind: kind,
      Text: tag === null ? actionText(action) : `${actionText(action)} ${tag}`,
      actor,
    }));

const tunnels: Source = async (db, { id, account_id }, part) => {
  const byAgent = (await tunnelEvents(db, account_id, id, part)).map((row) => ({ ...row, actor: '' }));
  const byPeople = await deviceEdits(db, account_id, id, part, 'tunnel');
  return [...byAgent, ...byPeople].map(({ seq, at, actor, action, target }) => ({
    Id: `audit-${seq}`,
    at,
    Kind: 'tunnel',
    Text: `${actionText(action)} ${target.split(' ')[0]}`,
    actor,
  }));
};

const notes: Source = async (db, { seq }, part) =>
  (await notesOf(db, seq, part)).map(({ id, at, actor, text }) => ({
    Id: `note-${id}`,
    at,
    Kind: 'note',
    Text: text,
    actor,
    NoteId: id,
  }));

const SOURCES: Record<TimelineKind, Source> = {
  state: states,
  job: jobs,
  edit: edits('edit'),
  key: edits('key'),
  tunnel: tunnels,
  note: notes,
};

export function timelineRoutes(context: Context): Handlers<typeof timelineEndpoints> {
  const { db, audit, now } = context;
  return {
    list: async (request) => {
      const {
        account,
        params,
        query: { kind, limit, before },
      } = request;
      const device = await deviceById(db, scopeOf(request), params.device_id);
      await hashNewest(context);
      const asked = new Set<string>(kind?.split(',') ?? TIMELINE_KINDS);
      const most = Number(limit ?? DEFAULT_LIMIT);
      const part = { before: before ? Number(before) : now() + 1, limit: most + 1 };
      const found: Found[] = [];
      for (const each of TIMELINE_KINDS) if (asked.has(each)) found.push(...(await SOURCES[each](db, device, part)));
      found.sort((one, two) => two.at - one.at);
      const { shown, next } = pageOf(found, most);
      const names = await namesOf(
        db,
        account.id,
        shown.map(({ actor }) => ({ actor, action: '', target: '' })),
      );
      return {
        Items: shown.map(({ at, actor, ...item }) => ({
          ...item,
          Time: printIsoTime(new Date(at)),
          Actor: actor,
          ActorName: names.get(actor) ?? '',
        })),
        Next: next,
      };
    },

    addNote: (request) => {
      const submission = { accountId: request.account.id, key: idempotencyKey(request.http), content: request.body };
      return db.write(async (tx) => {
        const device = await deviceById(tx, scopeOf(request), request.params.device_id);
        const { id: NoteId } = await runOnce(tx, submission, now(), async () => {
          const { actor } = request;
          const id = await insertNote(tx, device.seq, { at: now(), actor, text: request.body.Text.trim() });
          await audit.record(tx, request, 'note.create', `${id} ${device.id}`);
          return id;
        });
        return { NoteId };
      });
    },

    removeNote: (request) =>
      db.write(
        async (tx) => {
          const { device_id, note_id } = request.params;
          const device = await deviceById(tx, scopeOf(request), device_id);
          if (!(await deleteNote(tx, device.seq, note_id))) throw notFound('note', note_id);
          await audit.record(tx, request, 'note.remove', `${note_id} ${device.id}`);
        },
        { essential: true },
      ),
  };
}

/** Cuts a page between two different times, so that the next page starts with the earlier one. */
function pageOf(all: readonly Found[], most: number): { shown: Found[]; next: string } {
  const cut = all[most]?.at;
  if (cut === undefined) return { shown: [...all], next: '' };
  const shown = all.filter(({ at }) => at > cut);
  // More items have the same time than fit on a page.
  if (shown.length === 0) return { shown: all.filter(({ at }) => at === cut), next: String(cut) };
  return { shown, next: String(cut + 1) };
}
