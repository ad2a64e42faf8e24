// Lists of devices as JSON text that the database builds: a page of 25 takes half the time of converting rows to objects
// and objects to text.
import type { DeviceFilter } from '#/contract/devices.ts';
import { parseFactFilter } from '#/contract/facts.ts';
import type { Reader } from './database.ts';
import { NO_LIMIT, perDialect } from './dialect.ts';
import type { Dialect } from './dialect.ts';
import { factConditions } from './facts.ts';
import type { FactConditions } from './facts.ts';
import { fold } from '#/contract/fold.ts';
import { inGroups, isInScope } from './scope.ts';
import type { Scope } from './scope.ts';

/** The contract's listing object, from a row named `d`. */
const listing = ({ jsonObject, jsonArray, jsonOf, isoTime }: Dialect, more: Record<string, string> = {}) =>
  jsonObject({
    DeviceId: 'd.id',
    DeviceName: 'd.name',
    DeviceGroup: 'd.grp',
    LocalAddr: 'd.local_addr',
    LocalPort: 'd.local_port',
    DeviceStatus: "CASE d.online WHEN 1 THEN 'Online' ELSE 'Offline' END",
    CustomerName: 'd.customer',
    CustomerSite: 'd.site',
    CreatedTime: isoTime('d.created'),
    LastSeenTime: `coalesce(${isoTime('d.last_seen')}, '')`,
    AgentVersion: 'd.agent_version',
    AgentUpdate: 'd.agent_update',
    AgentProblem: 'd.agent_problem',
    AgentProblemText: 'd.agent_problem_text',
    AgentProblemTime: `coalesce(${isoTime('d.agent_problem_time')}, '')`,
    KeyRotation: `CASE WHEN d.rotation_asked IS NULL THEN '' WHEN d.next_key_hash IS NULL THEN 'Asked' ELSE 'Sent' END`,
    KeyProblem: "CASE d.key_fixed WHEN '' THEN d.rotation_problem ELSE d.key_fixed END",
    TunnelsAllowed: "CASE d.tunnels_allowed WHEN '' THEN 'none' ELSE d.tunnels_allowed END",
    SysOS: 'd.os',
    SysArch: 'd.arch',
    SysHostname: 'd.hostname',
    Tags: jsonOf(
      `SELECT ${jsonArray(jsonObject({ TagId: 't.id', TagName: 't.name' }))}
       FROM device_tags dt JOIN tags t ON t.id = dt.tag_id WHERE dt.device_seq = d.seq`,
    ),
    ...more,
  });

/** A statement for all devices of an account, or with a condition (`own`) for those of a limited role. */
function perScope(make: (sql: Dialect, own: string) => string, group = 'grp') {
  const all = perDialect((sql) => make(sql, ''));
  const own = perDialect((sql) => make(sql, inGroups(sql, { accountId: 0, groups: [] }, group).sql));
  return (db: { dialect: Dialect }, { groups }: Scope) => (groups ? own : all)(db);
}

/** The values of that condition, where it ends the statement's parameters. */
const ownOf = ({ dialect }: Reader, scope: Scope) => inGroups(dialect, scope, 'grp').values;

/** A JSON list of the devices that a query selects. */
const listOf = (sql: Dialect, devices: string, more?: Record<string, string>) =>
  `SELECT ${sql.jsonArray(listing(sql, more))} AS json FROM (SELECT * FROM devices ${devices}) d`;

const PAGE = perDialect((sql) =>
  listOf(sql, `${sql.indexedBy('devices_of_account')} WHERE account_id = ? AND seq >= ? ORDER BY seq LIMIT ?`),
);

const LISTED = perScope((sql, own) =>
  listOf(
    sql,
    `WHERE seq IN (SELECT CAST(value AS BIGINT) FROM ${sql.list('asked')})${own} ORDER BY seq LIMIT ${NO_LIMIT}`,
  ),
);

const LOCATED = perScope((sql, own) =>
  listOf(
    sql,
    `WHERE seq IN (SELECT CAST(value AS BIGINT) FROM ${sql.list('asked')}) AND +account_id = ?${own} ORDER BY seq LIMIT ${NO_LIMIT}`,
    { Lat: 'd.lat', Lng: 'd.lng' },
  ),
);

const SELECTED = perScope(
  (sql, own) => `SELECT ${listing(sql)} AS json FROM ${sql.list('asked')} CROSS JOIN devices d
    WHERE d.id = asked.value AND d.account_id = ?${own} ORDER BY asked.key`,
  'd.grp',
);

const location = (sql: Dialect) => sql.jsonArray(sql.jsonObject({ DeviceId: 'id', Lat: 'lat', Lng: 'lng' }));

const LOCATIONS = perDialect(
  (sql) => `SELECT ${location(sql)} AS json, max(seq) AS last
    FROM (SELECT seq, id, lat, lng FROM devices WHERE account_id = ? AND seq > ? ORDER BY seq LIMIT ?) page`,
);

const LOCATIONS_AMONG = perScope(
  (sql, own) => `SELECT ${location(sql)} AS json FROM (SELECT seq, id, lat, lng FROM devices
    WHERE seq IN (SELECT CAST(value AS BIGINT) FROM ${sql.list('asked')}) AND +account_id = ?${own}
    ORDER BY seq LIMIT ${NO_LIMIT}) page`,
);

/** JSON list of a page of the scope, which begins with these devices in creation order. */
export async function listPage(db: Reader, scope: Scope, seqs: readonly number[], rows: number): Promise<string> {
  const [first] = seqs;
  if (first === undefined) return '[]';
  if (scope.groups) return listSeqs(db, scope, seqs);
  return (await db.get<{ json: string }>(PAGE(db), scope.accountId, first, rows))?.json ?? '[]';
}

/** JSON list of the devices that meet every condition; empty conditions and parts of names and ids are ignored. */
export async function listFiltered(
  db: Reader,
  scope: Scope,
  filter: DeviceFilter,
  offset: number,
  rows: number,
): Promise<string> {
  const { where, values, facts, isOpen } = await conditions(db, scope, filter);
  if (!where) return '[]';
  const [first, ...others] = facts?.valueSeqs ?? [];
  let found = `SELECT seq FROM devices WHERE ${where}${having(facts?.valueSeqs, 'seq')} ORDER BY seq`;
  let chosen = [...values, ...(facts?.valueSeqs ?? [])];
  // Of a fact that few devices have, its devices are checked against the other conditions, else those of the group or tag.
  if (first !== undefined && !(facts?.areMany && (filter.device_group || filter.device_tag))) {
    const from = isOpen ? 'device_facts f' : 'device_facts f CROSS JOIN devices';
    const rest = isOpen ? '' : ` AND seq = f.device_seq AND ${where}`;
    found = `SELECT f.device_seq FROM ${from}
      WHERE f.value_seq = ?${having(others, 'f.device_seq')}${rest} ORDER BY f.device_seq`;
    chosen = [first, ...others, ...(isOpen ? [] : values)];
  }
  const sql = listOf(db.dialect, `WHERE seq IN (${found} LIMIT ? OFFSET ?) ORDER BY seq LIMIT ${NO_LIMIT}`);
  return (await db.get<{ json: string }>(sql, ...chosen, rows, offset))?.json ?? '[]';
}

/** Which of these devices meet the conditions other than parts of names and ids, in order of creation. */
export async function matchesAmong(
  db: Reader,
  scope: Scope,
  filter: DeviceFilter,
  seqs: readonly number[],
): Promise<number[]> {
  const { where, values, facts } = await conditions(db, scope, filter);
  if (!where) return [];
  const sql = `SELECT seq FROM devices WHERE seq IN (SELECT CAST(w.value AS BIGINT) FROM ${db.dialect.list('w')}) AND +${where}
    ${having(facts?.valueSeqs, 'seq')} ORDER BY seq`;
  return (await db.all<{ seq: number }>(sql, JSON.stringify(seqs), ...values, ...(facts?.valueSeqs ?? []))).map(
    (row) => row.seq,
  );
}

/** JSON list of the devices with these seqs of the account, without those outside the scope, in creation order. */
export const listSeqs = async (db: Reader, scope: Scope, seqs: readonly number[]): Promise<string> =>
  (await db.get<{ json: string }>(LISTED(db, scope), JSON.stringify(seqs), ...ownOf(db, scope)))?.json ?? '[]';

/** The same with their locations, also without devices of other accounts. */
export const listLocated = async (db: Reader, scope: Scope, seqs: readonly number[]): Promise<string> =>
  (await db.get<{ json: string }>(LOCATED(db, scope), JSON.stringify(seqs), scope.accountId, ...ownOf(db, scope)))
    ?.json ?? '[]';

/** That a device, an expression of its seq, has these values of facts. */
const having = (valueSeqs: readonly number[] = [], seq: string): string =>
  valueSeqs.map(() => ` AND EXISTS (SELECT 1 FROM device_facts WHERE value_seq = ? AND device_seq = ${seq})`).join('');

interface Conditions {
  where: string;
  values: (string | number)[];
  /** Not part of `where`. */
  facts?: FactConditions | undefined;
  /** Every device of the account meets `where`. */
  isOpen?: boolean;
}

/** The conditions of a filter as SQL; `where` is empty if no device can meet them. */
async function conditions(db: Reader, scope: Scope, filter: DeviceFilter): Promise<Conditions> {
  const { accountId } = scope;
  const none = { where: '', values: [] };
  if (filter.device_group && !isInScope(scope, filter.device_group)) return none;
  const parts = ['account_id = ?'];
  const values: (string | number)[] = [accountId];
  const add = (sql: string, ...more: (string | number)[]) => {
    parts.push(sql);
    values.push(...more);
  };
  if (filter.device_group) add('grp = ?', filter.device_group);
  if (filter.device_tag)
    add(
      'seq IN (SELECT device_seq FROM device_tags WHERE tag_id IN (SELECT id FROM tags WHERE account_id = ? AND (id = ? OR name = ?)))',
      accountId,
      filter.device_tag,
      filter.device_tag,
    );
  if (filter.device_status) {
    const status = fold(filter.device_status.trim());
    if (status === 'online') add('online = 1');
    else if (status === 'offline') add('online = 0');
    else return none;
  }
  const wanted = filter.facts === undefined ? undefined : parseFactFilter(filter.facts);
  const facts = wanted && Object.keys(wanted).length > 0 ? await factConditions(db, accountId, wanted) : undefined;
  if (wanted && !facts && Object.keys(wanted).length > 0) return none;
  // A group of the scope has only devices of the scope.
  const own = filter.device_group ? { sql: '', values: [] } : inGroups(db.dialect, scope, 'grp');
  const isOpen = parts.length === 1 && own.sql === '';
  return { where: parts.join(' AND ') + own.sql, values: [...values, ...own.values], facts, isOpen };
}

/** JSON objects of the devices with these ids, in the order of the ids, without unknown ones. */
export const listSelected = async (db: Reader, scope: Scope, ids: string[]): Promise<string[]> =>
  (await db.all<{ json: string }>(SELECTED(db, scope), JSON.stringify(ids), scope.accountId, ...ownOf(db, scope))).map(
    ({ json }) => json,
  );

/** JSON list of the locations of `rows` devices after `seq`, and the last seq (null past the end). */
export const locationsAfter = async (db: Reader, accountId: number, seq: number, rows: number) =>
  (await db.get<{ json: string; last: number | null }>(LOCATIONS(db), accountId, seq, rows)) ?? {
    json: '[]',
    last: null,
  };

/** JSON list of the locations of those among these devices that are in the scope. */
export const locationsAmong = async (db: Reader, scope: Scope, seqs: readonly number[]): Promise<string> =>
  (
    await db.get<{ json: string }>(
      LOCATIONS_AMONG(db, scope),
      JSON.stringify(seqs),
      scope.accountId,
      ...ownOf(db, scope),
    )
  )?.json ?? '[]';
