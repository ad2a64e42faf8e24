// Whatever happens to jobs, each page of the list has what reading all of them finds.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as fc from 'fast-check';
import type { JobStatus } from '#/contract/jobs.ts';
import { holds } from '../../scripts/test-property.ts';
import { archiveJob, restoreJob } from './archive.ts';
import type { Database } from './database.ts';
import { insertDevice } from './devices.ts';
import { fold } from '#/contract/fold.ts';
import { jobPage } from './job-list.ts';
import type { JobFilter } from './job-list.ts';
import { deleteJob, moveJob, refreshParents } from './job-moves.ts';
import type { TouchedParents } from './job-moves.ts';
import { insertJob, insertParent } from './job-submissions.ts';
import type { Target } from './job-submissions.ts';
import { NAMED_JOBS, openNameIndex } from './name-index.ts';
import { storeVerdicts } from './rules.ts';
import { wholeAccount } from './scope.ts';
import { openTestDatabase } from './test-database.ts';

let db: Database;
let accounts = 10;
before(async () => {
  db = await openTestDatabase();
});
after(() => db.close());

const at = fc.nat(40);
const ended = fc.constantFrom<JobStatus>('Succeeded', 'Failed', 'Interrupted', 'Cancelled');
const step = fc.oneof(
  fc.record({
    do: fc.constant('submit' as const),
    name: fc.constantFrom('Update', 'reboot', 'UPDATE 2'),
    devices: fc.integer({ min: 1, max: 3 }),
    aim: fc.constantFrom('group', 'tag'),
  }),
  fc.record({ do: fc.constant('start' as const), at }),
  fc.record({ do: fc.constant('end' as const), at, status: ended }),
  fc.record({
    do: fc.constant('judge' as const),
    at,
    verdict: fc.constantFrom('Succeeded', 'Failed', 'RolledBack', 'NoAnswer'),
  }),
  fc.record({ do: fc.constantFrom('archive' as const, 'restore' as const, 'delete' as const), at }),
);
const STATES = ['Waiting', 'Running', 'Succeeded', 'Failed', 'Cancelled', 'Interrupted', 'RolledBack', 'NoAnswer'];
const filter = fc.record({
  states: fc.oneof(fc.constant<string[]>([]), fc.subarray(STATES, { maxLength: 3 })),
  name: fc.constantFrom('', '', 'upd', 'E', '2'),
  device: fc.option(fc.nat(2), { freq: 1 }),
  group: fc.option(fc.constantFrom('group', 'none'), { freq: 1 }),
  moved: fc.option(fc.nat(60), { freq: 1 }),
  archived: fc.boolean(),
  limit: fc.integer({ min: 1, max: 5 }),
});

interface Row {
  seq: number;
  parent_seq: number | null;
  device_seq: number | null;
  name: string;
  device_group: string | null;
  status: JobStatus;
  verdict: string | null;
  archived: number | null;
  created: number;
  started: number | null;
  ended: number | null;
}

test('pages have the jobs that reading all of them finds, in falling order', () =>
  holds(
    80,
    fc.asyncProperty(
      fc.array(step, { minLength: 5, maxLength: 40 }),
      fc.array(filter, { minLength: 3, maxLength: 8 }),
      async (steps, filters) => {
        const account = ++accounts;
        const devices = await db.write(async (tx) => {
          await tx.run(
            "INSERT INTO accounts (id, email, max_devices, artifact_limit, created) VALUES (?, '', 9, 0, 0)",
            account,
          );
          const added: Target[] = [];
          for (let n = 0; n < 3; n++)
            added.push({
              ...(await insertDevice(tx, account, { DeviceName: `d${n}`, DeviceGroup: 'g' }, 1)),
              name: `d${n}`,
            });
          return added;
        });
        const names = openNameIndex(db, NAMED_JOBS);
        const rows = () => db.all<Row>('SELECT * FROM jobs WHERE account_id = ? ORDER BY seq', account);
        for (const [now, each] of steps.entries()) {
          const all = await rows();
          const pick = (among: Row[]) => ('at' in each ? among[each.at % Math.max(1, among.length)] : undefined);
          const leaf = pick(all.filter(({ device_seq }) => device_seq !== null));
          const top = pick(all.filter(({ parent_seq }) => parent_seq === null));
          await db.write(async (tx) => {
            const parents: TouchedParents = new Map();
            const move = async (row: Row | undefined, to: JobStatus) => {
              const change = to === 'Running' ? { started: now } : { ended: now };
              if (row)
                await moveJob(tx, { seq: row.seq, parentSeq: row.parent_seq, status: row.status }, to, change, parents);
            };
            if (each.do === 'submit') {
              const submission = {
                accountId: account,
                name: each.name,
                artifactId: null,
                workflowId: null,
                ruleName: '',
                artifactVersion: null,
                command: () => 'true',
                created: now,
              };
              if (each.devices === 1 && devices[now % 3]) await insertJob(tx, submission, devices[now % 3]!);
              else await insertParent(tx, submission, devices.slice(0, each.devices), { [each.aim]: 'group' });
            } else if (each.do === 'start') await move(leaf?.status === 'Waiting' ? leaf : undefined, 'Running');
            else if (each.do === 'end') await move(leaf?.ended === null ? leaf : undefined, each.status);
            else if (each.do === 'judge') {
              if (leaf && leaf.ended !== null)
                await storeVerdicts(
                  tx,
                  [{ seq: leaf.seq, verdict: each.verdict, because: '', stream: null, line: null }],
                  leaf.parent_seq === null ? [] : [leaf.parent_seq],
                );
            } else if (each.do === 'archive') {
              if (top && top.ended !== null) await archiveJob(tx, top.seq, now);
            } else if (each.do === 'restore') {
              if (top) await restoreJob(tx, top.seq);
            } else if (top) await deleteJob(tx, { seq: top.seq, parentSeq: null }, parents);
            await refreshParents(tx, parents);
          });
        }
        const all = await rows();
        const childrenOf = (seq: number) => all.filter(({ parent_seq }) => parent_seq === seq);
        const stateOf = ({ verdict, status }: Row) => verdict ?? status;
        const statesOf = (row: Row): string[] => {
          if (row.device_seq !== null) return [stateOf(row)];
          const states = childrenOf(row.seq).map((child) => stateOf(child));
          const own = row.ended === null ? [row.status as string] : [];
          return [
            ...own,
            ...states.filter((state) => state !== 'Succeeded' || states.every((other) => other === state)),
          ];
        };
        for (const { states, name, device, group, moved, archived, limit } of filters) {
          const chosen = device === null ? undefined : devices[device];
          const asked: JobFilter = {
            states,
            name,
            archived,
            ...(chosen && { deviceSeq: chosen.seq }),
            ...(group !== null && { group }),
            ...(moved !== null && { movedSince: moved }),
          };
          const expected = all.filter(
            (row) =>
              row.parent_seq === null &&
              (row.archived !== null) === archived &&
              (states.length === 0 || statesOf(row).some((state) => states.includes(state))) &&
              fold(row.name).includes(fold(name)) &&
              (!chosen || [row, ...childrenOf(row.seq)].some(({ device_seq }) => device_seq === chosen.seq)) &&
              (group === null || row.device_group === group) &&
              (moved === null || row.ended === null || row.ended >= moved),
          );
          const found: number[] = [];
          for (let next: number | undefined = Number.MAX_SAFE_INTEGER; next !== undefined;) {
            const page = await jobPage(db, names, wholeAccount(account), asked, { before: next, limit });
            assert.ok(page.rows.length <= limit);
            found.push(...page.rows.map(({ seq }) => seq));
            next = page.next;
          }
          assert.deepEqual(found, expected.map(({ seq }) => seq).toReversed(), JSON.stringify(asked));
        }
      },
    ),
  ));
