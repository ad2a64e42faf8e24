// What the statements of the store that join or sort read in SQLite, by file and exported function: each table with its
// index (`key` is its primary key, `all` reads the whole of it), in the order of the plan. A new statement belongs here.
import type { RuleRow } from './alert-settings.ts';
import type { DeviceOrder } from './device-order.ts';
import type { JobFilter } from './job-list.ts';
import type { JobRow } from './jobs.ts';
import { NAMED_DEVICES, NAMED_JOBS, NAMED_REMOVALS } from './name-index.ts';
import type { Scope } from './scope.ts';
import type { Example } from './test-statements.ts';

const rule = (event: string) =>
  ({ seq: 1, account_id: 1, event, grp: 'g', tag_id: 't', site: 's', facts: '{"a":"b"}', for_minutes: 1 }) as RuleRow;
const WATCHED = ['DeviceOffline', 'DeviceBack', 'TunnelPublic'].map(rule);
const FILTERS = [
  { device_name: 'a' },
  { device_id: 'a' },
  { device_group: 'a' },
  { device_tag: 'a' },
  { device_status: 'online' },
  { device_status: 'offline' },
  { facts: '{"a":"b","c":"d"}' },
  { facts: '{"a":"b"}', device_group: 'a' },
];

/** Everything, and the devices of some groups. */
const SCOPES: readonly Scope[] = [{ accountId: 1 }, { accountId: 1, groups: ['a', 'b'] }];

const JOB_FILTERS: Partial<JobFilter>[] = [
  {},
  { archived: true },
  { name: 'a' },
  { states: ['Failed'] },
  { states: ['Failed', 'NoAnswer'], archived: true },
  { deviceSeq: 1 },
  { group: 'a' },
  { tagId: 'a' },
  { artifactIds: ['a'] },
  { artifactIds: ['a', 'b'] },
  { movedSince: 1 },
];

/** Functions whose statements depend on their arguments. */
export const EXAMPLES: Record<string, readonly Example[]> = {
  'alert-firing.ts isStale': WATCHED.map((each) => (call, db) => call(db, each, 1)),
  'alert-firing.ts noteStates': WATCHED.map((each) => (call, db) => call(db, each, 1)),
  'alert-firing.ts wouldFire': WATCHED.map((each) => (call, db) => call(db, each, 1, 1)),
  'alert-firing.ts wouldHaveFired': WATCHED.flatMap((each): Example[] => [
    (call, db) => call(db, each, 1),
    // More devices than are read one by one.
    (call, db) => {
      const get = async (sql: string) => (await db.get(sql), { n: sql.includes('devices d') ? 1e9 : 0 });
      return call({ ...db, get }, each, 1);
    },
  ]),
  'alert-jobs.ts failedLately': [(call, db) => call(db, rule('JobFailed'), 1)],
  'alert-lists.ts firingObjects': SCOPES.flatMap((scope) =>
    ['DeviceOffline', 'QuotaNear', 'TunnelPublic'].map((event) => (call, db) => call(db, scope, rule(event))),
  ),
  'alert-lists.ts countFiringOf': SCOPES.flatMap((scope) =>
    ['DeviceOffline', 'TunnelPublic'].map(
      (event) => (call, db) =>
        call({ ...db, all: async (sql: string) => (await db.all(sql), [rule(event)]) }, scope, 1),
    ),
  ),
  'alert-outbox.ts listDeliveries': SCOPES.map((scope) => (call, db) => {
    const row = { seq: 1, devices: '[{"DeviceId":"a"}]', job_id: 'a', rollout_id: 'a', at: 1, due: 1, last: null };
    const all = async (sql: string) => (await db.all(sql), [row]);
    const get = async (sql: string) => (await db.get(sql), { own: 1, total: 1 });
    return call({ ...db, all, get }, scope, { before: undefined, limit: 1 });
  }),
  'audit-scope.ts entriesInScope': [
    (call, db) =>
      call(
        db,
        { accountId: 1, groups: ['a', 'b'] },
        'token:a',
        ['device.a', 'job.a', 'rollout.a', 'alert-rule.a', 'order.a'].map((action) => ({
          action,
          target: 'a',
          actor: '',
        })),
      ),
  ],
  'audit-log.ts auditEntries': [
    {},
    { action: 'device' },
    { action: 'device.update' },
    { object: 'a' },
    { actors: ['a'] },
    { actors: ['a', 'b'] },
    { action: 'device', objects: ['a'] },
  ].map((filters) => (call, db) => call(db, 1, filters, { limit: 1 })),
  'audit-log.ts hashAudit': [
    (call, db) => call({ ...db, get: async (sql: string) => (await db.get(sql), { last: 2, hashed: 1 }) }, 1),
    (call, db) =>
      db.write((tx) => call({ ...db, write: async (unit: (each: object) => unknown) => unit(tx) }, 1) as never),
  ],
  'audit-log.ts verifyAudit': [
    (call, db) =>
      call({
        ...db,
        get: async (sql: string) => {
          const row = await db.get(sql);
          return sql.includes('audit_mark') ? { mark: null, seq: 1, hash: '' } : row;
        },
      }),
  ],
  'changes.ts changesBetween': [
    (call, db) => call(db, 1, { opening: 'a', seq: 0, mark: 0 }, { opening: 'a', seq: 5, mark: 1 }),
  ],
  'changes.ts changesInScope': SCOPES.map(
    (scope) => (call, db) => call(db, scope, { opening: 'a', seq: 0, mark: 0 }, { opening: 'a', seq: 5, mark: 1 }),
  ),
  'device-versions.ts countVersions': SCOPES.map((scope) => (call, db) => call(db, scope)),
  'device-versions.ts latestVersions': SCOPES.map((scope) => (call, db) => call(db, scope, ['a'])),
  'device-versions.ts versionsAfterJobs': SCOPES.map(
    (scope) => (call, db) => call(db, { scope, artifact: 'a', jobSeqs: [1] }),
  ),
  'device-versions.ts versionsOfArtifact': SCOPES.map(
    (scope) => (call, db) => call(db, { scope, artifact: 'a', before: 1, limit: 1 }),
  ),
  'device-list.ts listFiltered': SCOPES.flatMap((scope) =>
    FILTERS.map((filter) => (call, db) => call(db, scope, filter, 0, 1)),
  ),
  'device-list.ts listLocated': SCOPES.map((scope) => (call, db) => call(db, scope, [1])),
  'device-list.ts listPage': SCOPES.map((scope) => (call, db) => call(db, scope, [1], 1)),
  'device-list.ts listSelected': SCOPES.map((scope) => (call, db) => call(db, scope, ['a'])),
  'device-list.ts listSeqs': SCOPES.map((scope) => (call, db) => call(db, scope, [1])),
  'device-list.ts locationsAfter': [(call, db) => call(db, 1, 1, 1)],
  'device-list.ts locationsAmong': SCOPES.map((scope) => (call, db) => call(db, scope, [1])),
  'device-list.ts matchesAmong': SCOPES.flatMap((scope) =>
    FILTERS.map((filter) => (call, db) => call(db, scope, filter, [1])),
  ),
  'device-order.ts openDeviceOrder': SCOPES.map((scope) => (call, db) => (call(db) as DeviceOrder).seqs(scope)),
  'facts.ts countFactValues': SCOPES.map((scope) => (call, db) => call(db, scope, 'a', 1)),
  'facts.ts storeFacts': [(call, db) => call(db, 1, [{ name: 'a', value: 'b' }], 1)],
  'archive.ts archivedJobs': SCOPES.map((scope) => (call, db) => call(db, scope, { archived: 1, seq: 1 }, 1)),
  'archive.ts countArchived': SCOPES.map((scope) => (call, db) => call(db, scope)),
  'archive.ts searchedChildren': SCOPES.map((scope) => (call, db) => call(db, scope, 1, 0, 1)),
  'bulk.ts bulkById': ['Devices', 'Jobs'].map((of_what) => (call, db) => {
    const row = { seq: 1, of_what, settings: '{}', role: 'Admin', groups_json: '[]' };
    return call({ ...db, get: async (sql: string) => (await db.get(sql), row) }, SCOPES[1], 'a');
  }),
  'bulk.ts insertUndo': [
    (call, db) => {
      const caller = { account: { id: 1, email: '' }, actor: 'a', address: '', credential: 'a', role: 'Admin' };
      const found = { ...db, get: async (sql: string) => (await db.get(sql), { total: 1, seq: 1 }) };
      return call(found, { seq: 1 }, { caller, at: 1 });
    },
  ],
  'job-list.ts countJobs': SCOPES.map((scope) => (call, db) => call(db, scope)),
  'job-output.ts outputOfChildren': SCOPES.map((scope) => (call, db) => call(db, scope, 1)),
  'job-output.ts outputOfOpenChildren': SCOPES.map((scope) => (call, db) => call(db, scope, 1)),
  'job-scope.ts jobsInScope': [null, 1].map(
    (device_seq) => (call, db) => call(db, SCOPES[1], [{ seq: 1, device_seq } as JobRow]),
  ),
  'job-scope.ts reachesOutside': (['live', 'records'] as const).map(
    (of) => (call, db) => call(db, SCOPES[1], { seq: 1, device_seq: null, device_group: null }, of),
  ),
  'jobs.ts childJobs': SCOPES.map((scope) => (call, db) => call(db, scope, 1, 0, 1)),
  'jobs.ts queuedJobs': SCOPES.map((scope) => (call, db) => call(db, scope, undefined, 1)),
  'jobs.ts topJobs': SCOPES.map((scope) => (call, db) => call(db, scope, 0, 1)),
  'rollout-devices.ts countWave': SCOPES.map(
    (scope) => (call, db) => call(db, { seq: 1, account_id: 1 }, { number: 0, job_seq: 1 }, 1, scope),
  ),
  'rollout-devices.ts devicesOf': SCOPES.map(
    (scope) => (call, db) => call(db, scope, { seq: 1, account_id: 1 }, { after: { wave: 0, id: '' }, limit: 1 }),
  ),
  'rollout-devices.ts keptCounts': SCOPES.map(
    (scope) => (call, db) => call(db, scope, { seq: 1, kept: '[]', waves: 1 }),
  ),
  'rollout-devices.ts statesOf': SCOPES.map((scope) => (call, db) => call(db, scope, { seq: 1, account_id: 1 })),
  'rollout-devices.ts runsOf': SCOPES.map((scope) => (call, db) => call(db, scope, { seq: 1, account_id: 1 })),
  'rollouts.ts plannedDevices': SCOPES.map((scope) => (call, db) => call(db, scope, 1)),
  'job-list.ts jobPage': JOB_FILTERS.flatMap((filter) => SCOPES.map((scope) => ({ filter, scope }))).map(
    ({ filter, scope }) =>
      (call, db) => {
        const names = { find: async () => [1] };
        return call(db, names, scope, { states: [], name: '', archived: false, ...filter }, { before: 10, limit: 1 });
      },
  ),
  'name-index.ts openNameIndex': [
    (_, db) => NAMED_DEVICES.after(db, 1, 0, 1),
    (_, db) => NAMED_DEVICES.renames.ofList(db, [1]),
    (_, db) => NAMED_JOBS.after(db, 1, 0, 1),
    (_, db) => NAMED_REMOVALS.after(db, 1, 0, 1),
  ],
  'people.ts currentRights': ['session:a', 'token:a'].map((credential) => (call, db) => call(db, { credential })),
  'sessions.ts listSessions': [undefined, { personId: 'a' }, { tokenId: 'a' }, { personId: 'a', groups: ['a'] }].map(
    (owner) => (call, db) => call(db, 1, 1, owner),
  ),
  'sessions.ts findSession': [(call, db) => call(db, 'session', 1)],
  'sessions.ts lostSession': [(call, db) => call(db, 'session', 1)],
  'ended-jobs.ts endedJobs': SCOPES.map((scope) => (call, db) => call(db, scope, { from: 0, to: 10 }, 1)),
  'state-series.ts stateSeries': SCOPES.map((scope) => (call, db) => call(db, scope, { from: 0, step: 1, count: 9 })),
  'state-replay.ts stateReplay': SCOPES.map(
    (scope) => (call, db) => call(db, scope, { from: 0, to: 9 }, async () => {}),
  ),
  'state-strips.ts stateStrips': [
    (call, db) =>
      call(
        db,
        [[{ seq: 1, online: 1, offline: 0, unknown: 0, changes: 1 }]],
        { span: { from: 0, to: 10 }, gaps: [], steps: 2 },
        async () => {},
      ),
  ],
  'state-totals.ts nextSums': [(call, db) => call(db, { accountId: 1, span: { from: 0, to: 10 }, gaps: [] }, 0, 10)],
  'timeline.ts deviceEdits': ['key', 'edit'].map(
    (kind) => (call, db) => call(db, 1, 'd', { before: 1, limit: 1 }, kind),
  ),
  'tokens.ts listTokens': [undefined, { personId: 'a' }, { tokenId: 'a' }, { personId: 'a', groups: ['a'] }].map(
    (owner) => (call, db) => call(db, 1, owner),
  ),
  'enrolment.ts enrolmentKeyOf': [(call, db) => call(db, 'key')],
  'enrolment.ts listPending': SCOPES.map((scope) => (call, db) => call(db, scope)),
  'tokens.ts tokenHolder': [(call, db) => call(db, 'token', 1)],
  'tunnels.ts deleteTunnel': SCOPES.map((scope) => (call, db) => db.write((tx) => call(tx, scope, 'a') as never)),
  'tunnels.ts deleteTunnels': SCOPES.map((scope) => (call, db) => db.write((tx) => call(tx, scope) as never)),
  'tunnels.ts listTunnels': SCOPES.map((scope) => (call, db) => call(db, scope)),
  'state-history.ts stateChanges': SCOPES.flatMap((scope) =>
    [undefined, 1].map((device) => (call, db) => call(db, scope, { device, from: 0, to: 10, limit: 1 })),
  ),
};

/** What reads a large table as a whole in PostgreSQL, because it needs all of it. */
export const READ_WHOLE: Record<string, readonly string[]> = {
  // When the computer's clock was set.
  'open-times.ts moveOpenTimes': ['jobs', 'output_runs'],
  // Many jobs at once, each of which has more rows than PostgreSQL can know before it has analysed the table.
  'archive.ts outputOfJobs': ['job_output'],
  'device-versions.ts noteVersionsOfAll': ['jobs'],
  // A thousand devices at once.
  'facts.ts factNamesAmong': ['device_facts'],
  'job-output.ts outputOfChildren': ['job_output'],
  // It reads the whole log by its purpose.
  'audit-log.ts verifyAudit': ['audit'],
  // Two thousand rows at once.
  'state-history.ts pruneStates': ['state_changes'],
  // What a role that is limited to groups counts and searches: of which jobs are on its devices, PostgreSQL knows too little.
  'archive.ts archivedJobs': ['devices'],
  'archive.ts countArchived': ['devices', 'jobs'],
  'job-list.ts countJobs': ['devices', 'jobs'],
  'job-list.ts jobPage': ['jobs'],
  'jobs.ts topJobs': ['devices'],
  'rollout-devices.ts keptCounts': ['devices'],
  'rollouts.ts plannedDevices': ['devices'],
  'rollouts.ts rolloutById': ['devices'],
  // For as many devices as a rollout has, reading all at once costs no more.
  'rollout-devices.ts outcomeOf': ['devices'],
  'rollouts.ts devicesOfWave': ['devices'],
  'change-scope.ts ownRollouts': ['devices'],
  // It counts the versions of all devices that a limited role sees.
  'device-versions.ts countVersions': ['device_versions'],
};

export const PLANS: Record<string, readonly string[]> = {
  // For the operator's command alone.
  'accounts.ts listAccounts': ['accounts all'],
  'alert-firing.ts isStale': [
    'd devices_away, f key, device_facts devices_of_fact, fact_values sqlite_autoindex_fact_values_1, fact_names sqlite_autoindex_fact_names_1, device_tags key',
    'alert_firing key, d rowid, device_facts devices_of_fact, fact_values sqlite_autoindex_fact_values_1, fact_names sqlite_autoindex_fact_names_1, device_tags key',
    't tunnels_of_account, f key, d rowid, device_facts devices_of_fact, fact_values sqlite_autoindex_fact_values_1, fact_names sqlite_autoindex_fact_names_1, device_tags key',
    'alert_firing key, t rowid, d rowid, device_facts devices_of_fact, fact_values sqlite_autoindex_fact_values_1, fact_names sqlite_autoindex_fact_names_1, device_tags key',
  ],
  'alert-firing.ts noteNew': ['f key, d rowid'],
  'alert-firing.ts noteStates': [
    'd devices_away, f key, device_facts devices_of_fact, fact_values sqlite_autoindex_fact_values_1, fact_names sqlite_autoindex_fact_names_1, device_tags key',
    'alert_firing key, d rowid, device_facts devices_of_fact, fact_values sqlite_autoindex_fact_values_1, fact_names sqlite_autoindex_fact_names_1, device_tags key',
    'alert_firing key, d rowid, device_tags key, device_facts devices_of_fact, fact_values sqlite_autoindex_fact_values_1, fact_names sqlite_autoindex_fact_names_1, sorts',
    't tunnels_of_account, f key, d rowid, device_facts devices_of_fact, fact_values sqlite_autoindex_fact_values_1, fact_names sqlite_autoindex_fact_names_1, device_tags key',
    'alert_firing key, t rowid, d rowid, device_facts devices_of_fact, fact_values sqlite_autoindex_fact_values_1, fact_names sqlite_autoindex_fact_names_1, device_tags key',
  ],
  'alert-firing.ts queueAlert': ['alert_rules alert_rules_of_account', 'd devices_of_group, device_tags key'],
  'alert-firing.ts sitesOf': ['d devices_of_group, f key, device_tags key'],
  'alert-firing.ts wouldFire': [
    'd devices_away, device_facts devices_of_fact, fact_values sqlite_autoindex_fact_values_1, fact_names sqlite_autoindex_fact_names_1, device_tags key',
    't tunnels_of_account, d rowid, device_facts devices_of_fact, fact_values sqlite_autoindex_fact_values_1, fact_names sqlite_autoindex_fact_names_1, device_tags key',
    't tunnels_of_account, d rowid, device_facts devices_of_fact, fact_values sqlite_autoindex_fact_values_1, fact_names sqlite_autoindex_fact_names_1, device_tags key, sorts',
  ],
  'alert-firing.ts wouldHaveFired': [
    'd devices_of_group, c state_changes_of_device',
    'd devices_of_group, device_facts devices_of_fact, fact_values sqlite_autoindex_fact_values_1, fact_names sqlite_autoindex_fact_names_1, device_tags key, c state_changes_of_device, o state_changes_of_device',
    'c key, o state_changes_of_device, d rowid, device_facts devices_of_fact, fact_values sqlite_autoindex_fact_values_1, fact_names sqlite_autoindex_fact_names_1, device_tags key',
  ],
  'alert-jobs.ts failedLately': [
    'jobs jobs_ended, d rowid, device_facts devices_of_fact, fact_values sqlite_autoindex_fact_values_1, fact_names sqlite_autoindex_fact_names_1, device_tags key',
    'jobs jobs_ended, p rowid, d rowid, device_tags key, device_facts devices_of_fact, fact_values sqlite_autoindex_fact_values_1, fact_names sqlite_autoindex_fact_names_1',
  ],
  'alert-jobs.ts noteEndedJobs': ['a all, j rowid, to_judge rowid, c jobs_of_parent, to_judge rowid', 'jobs rowid'],
  'alert-lists.ts countFiringOf': ['alert_rules alert_rules_of_account, alert_firing key, sorts'],
  'alert-lists.ts firingObjects': ['f key, d rowid, sorts', 'f key, t rowid, d rowid, sorts'],
  'alert-lists.ts firingRules': ['f key, d rowid'],
  'alert-outbox.ts dueDeliveries': ['d rowid, alert_deliveries alert_deliveries_due, groups, m rowid'],
  'alert-outbox.ts insertMessage': ['alert_rule_channels key, alert_channels rowid, sorts'],
  'alert-outbox.ts listDeliveries': [
    'd alert_deliveries_of_account, m rowid',
    'devices sqlite_autoindex_devices_1',
    'top sqlite_autoindex_jobs_1, j jobs_of_parent, d rowid',
    'r sqlite_autoindex_rollouts_1, rd rollout_devices_by_wave, d sqlite_autoindex_devices_1',
  ],
  'alert-outbox.ts pruneMessages': [
    'alert_messages rowid, alert_messages alert_messages_by_age, alert_deliveries alert_deliveries_of_message',
  ],
  'alert-outbox.ts takeEvents': ['e alert_events_of_rule, f key'],
  'alert-settings.ts allRules': ['alert_rules all'],
  'alert-settings.ts insertRule': ['alert_channels alert_channels_of_account'],
  'alert-settings.ts listChannels': ['alert_channels alert_channels_of_account'],
  'alert-settings.ts listRules': [
    'alert_rules alert_rules_of_account, sorts',
    'alert_channels alert_channels_of_account, alert_rule_channels alert_rules_of_channel, sorts',
  ],
  'alert-settings.ts silenceRule': ['alert_firing key, alert_events alert_events_of_rule'],
  'archive.ts archivedJobs': [
    'jobs jobs_archived',
    'j rowid, p rowid, c rowid',
    'w rollout_waves_of_job, r rowid',
    'jobs jobs_archived, v rowid, c jobs_current, v rowid',
    'devices rowid',
  ],
  'archive.ts countArchived': ['jobs jobs_archived, v rowid, c jobs_current, v rowid'],
  'archive.ts outputOfJobs': ['job_output key'],
  'archive.ts searchedChildren': ['jobs jobs_of_parent', 'jobs jobs_of_parent, own_device rowid'],
  'artifacts.ts allArtifacts': ['artifacts all'],
  'artifacts.ts insertArtifact': ['artifacts artifacts_of_account, sorts'],
  'artifacts.ts listArtifacts': ['artifacts artifacts_of_account'],
  'audit-origin.ts lastActor': ['audit rowid, audit_hashes', 'audit_objects key, audit rowid'],
  'audit-origin.ts removedObjects': ['audit audit_removed_names'],
  'audit-origin.ts originOf': ['audit_objects key, audit rowid'],
  'audit-scope.ts entriesInScope': [
    'o sqlite_autoindex_devices_1',
    'o sqlite_autoindex_jobs_1, v rowid',
    'o sqlite_autoindex_jobs_1, c jobs_of_parent, v rowid',
    'o sqlite_autoindex_rollouts_1, r rollout_devices_by_wave, v sqlite_autoindex_devices_1',
    'o sqlite_autoindex_alert_rules_1',
    'o sqlite_autoindex_standing_orders_1',
  ],
  'audit-log.ts auditEntries': [
    'audit rowid, audit_hashes rowid',
    'audit audit_of_kind, audit_hashes rowid',
    'audit audit_of_action, audit_hashes rowid',
    'audit rowid, audit_objects key, audit_hashes rowid',
    'audit audit_of_actor, audit_hashes rowid',
    'audit audit_of_actor, audit_hashes rowid, sorts',
  ],
  'audit-log.ts hashAudit': ['audit_hashes all, settings key', 'audit rowid'],
  'audit-log.ts verifyAudit': [
    'audit rowid, audit_hashes rowid',
    'audit_objects key, sorts',
    'audit_hashes rowid, audit rowid',
  ],
  'bulk.ts bulkById': [
    'i key, d sqlite_autoindex_devices_1, v rowid',
    'i key, j sqlite_autoindex_jobs_1, v rowid, c jobs_of_parent, v rowid',
  ],
  'bulk.ts bulkOf': ['bulk bulk_of_account'],
  'bulk.ts insertUndo': ['bulk_items key'],
  'bulk.ts itemsFrom': ['bulk_items key'],
  'bulk.ts pendingItems': ['bulk_items key'],
  'bulk.ts pruneBulk': ['bulk rowid, bulk all, bulk_keys rowid, bulk_items key'],
  'bulk.ts runningBulk': ['bulk all bulk_running'],
  'bulk-keys.ts pruneBulkKeys': ['bulk_keys all, bulk rowid'],
  'change-scope.ts ownDevices': ['devices rowid'],
  'change-scope.ts ownJobs': ['j rowid, d rowid, c jobs_of_parent, d rowid'],
  'change-scope.ts ownParents': ['c rowid, d rowid, p rowid, sorts'],
  'change-scope.ts ownRollouts': [
    'r sqlite_autoindex_rollouts_1, v rollout_devices_by_wave, d sqlite_autoindex_devices_1',
  ],
  'changes.ts changesBetween': ['changes all', 'changes rowid, sorts'],
  'changes.ts changesInScope': ['changes rowid, sorts'],
  'changes.ts jobIds': ['jobs rowid'],
  'changes.ts currentPosition': ['changes all'],
  'device-list.ts listFiltered': [
    'devices rowid, devices devices_of_account, dt key, t sqlite_autoindex_tags_1',
    'devices rowid, devices devices_of_group, dt key, t sqlite_autoindex_tags_1',
    'devices rowid, devices devices_of_account, device_tags devices_of_tag, tags sqlite_autoindex_tags_1, tags sqlite_autoindex_tags_2, dt key, t sqlite_autoindex_tags_1',
    'devices rowid, devices devices_online, dt key, t sqlite_autoindex_tags_1',
    'devices rowid, f devices_of_fact, device_facts devices_of_fact, dt key, t sqlite_autoindex_tags_1',
    'devices rowid, f devices_of_fact, devices rowid, dt key, t sqlite_autoindex_tags_1',
    'devices rowid, f devices_of_fact, device_facts devices_of_fact, devices rowid, dt key, t sqlite_autoindex_tags_1',
  ],
  'device-list.ts matchesAmong': [
    'devices rowid',
    'devices rowid, device_tags devices_of_tag, tags sqlite_autoindex_tags_1, tags sqlite_autoindex_tags_2',
    'devices rowid, device_facts devices_of_fact, device_facts devices_of_fact',
    'devices rowid, device_facts devices_of_fact',
  ],
  'facts.ts addFactValues': ['f key, d rowid'],
  'facts.ts countFactValues': [
    'v sqlite_autoindex_fact_values_1, f devices_of_fact',
    'v sqlite_autoindex_fact_values_1, f devices_of_fact, devices rowid',
  ],
  'facts.ts factNames': ['fact_names sqlite_autoindex_fact_names_1'],
  'facts.ts factNamesAmong': ['fact_names rowid, f key'],
  'facts.ts storeFacts': ['device_facts key', 'n sqlite_autoindex_fact_names_1, v sqlite_autoindex_fact_values_1'],
  'device-list.ts listLocated': ['devices rowid, dt key, t sqlite_autoindex_tags_1'],
  'device-list.ts listPage': [
    'devices devices_of_account, dt key, t sqlite_autoindex_tags_1',
    'devices rowid, dt key, t sqlite_autoindex_tags_1',
  ],
  'device-list.ts listSelected': ['d sqlite_autoindex_devices_1, dt key, t sqlite_autoindex_tags_1, sorts'],
  'device-list.ts listSeqs': ['devices rowid, dt key, t sqlite_autoindex_tags_1'],
  'device-list.ts locationsAfter': ['devices devices_of_account'],
  'device-list.ts locationsAmong': ['devices rowid'],
  'device-order.ts openDeviceOrder': ['devices devices_of_account', 'devices devices_of_group, sorts'],
  'devices.ts deviceById': ['devices sqlite_autoindex_devices_1'],
  'devices.ts deviceByKeyHash': ['devices sqlite_autoindex_devices_2, devices devices_by_next_hash, sorts'],
  'device-versions.ts correctVersions': [
    'device_versions key, j rowid, t rowid, j rowid, t rowid',
    'j rowid, to_judge rowid, t rowid, d rowid, sorts',
    'd rowid, j jobs_of_device, to_judge rowid, t rowid, sorts',
  ],
  'device-versions.ts countVersions': [
    'device_versions device_versions_of_artifact, groups',
    'd devices_of_group, v key, groups',
  ],
  'device-versions.ts noteVersionsOfAll': ['j jobs_of_parent, to_judge rowid, t rowid, d rowid, sorts'],
  'device-versions.ts latestVersions': ['d sqlite_autoindex_devices_1, v key, device_versions key, sorts'],
  'device-versions.ts versionsAfterJobs': ['j rowid, t rowid, sorts, d rowid, v key'],
  'device-versions.ts versionsOfArtifact': ['v device_versions_of_artifact, d rowid'],
  'device-versions.ts versionsOfDevice': ['d rowid, v key'],
  'devices.ts sessionsOf': ['devices rowid'],
  'enrolment.ts deleteEnrolmentKey': [
    'enrolment_keys sqlite_autoindex_enrolment_keys_1, enrolments enrolments_by_key_seq',
  ],
  'enrolment.ts deviceOfMachine': ['m key, d rowid'],
  'enrolment.ts enrolmentKeyOf': ['k sqlite_autoindex_enrolment_keys_2, a rowid'],
  'enrolment.ts listEnrolmentKeys': ['enrolment_keys enrolment_keys_of_account'],
  'enrolment.ts listPending': ['e enrolments_pending, k rowid, d rowid'],
  'enrolment.ts pendingById': ['enrolments sqlite_autoindex_enrolments_1'],
  'ended-jobs.ts endedJobs': ['jobs jobs_ended, groups, sorts', 'jobs jobs_ended, own_device rowid, groups, sorts'],
  'key-rotation.ts devicesWithOldKeys': ['devices devices_by_age_of_keys'],
  'key-rotation.ts rotatingAccounts': ['accounts all'],
  'job-list.ts countJobs': ['jobs jobs_top, v rowid, c jobs_current, v rowid'],
  'job-list.ts jobPage': [
    'jobs jobs_top',
    'j rowid',
    'd devices_of_group, j jobs_of_device, sorts',
    'jobs jobs_in_archive',
    'job_states key',
    'j rowid, s key',
    'jobs jobs_of_device, sorts',
    'jobs jobs_of_group',
    'jobs jobs_of_tag',
    'jobs jobs_of_artifact',
  ],
  'job-moves.ts deleteJob': ['jobs rowid, jobs jobs_superseded, sorts'],
  'job-moves.ts moveJob': ['job_output key'],
  'job-output.ts beginningOf': ['job_output key'],
  'job-output.ts outputOfChildren': ['c jobs_of_parent, o key', 'c jobs_of_parent, own_device rowid, o key'],
  'job-output.ts outputOfOpenChildren': ['c jobs_of_parent, o key', 'c jobs_of_parent, own_device rowid, o key'],
  'job-output.ts readPart': ['job_output key, job_output key'],
  'job-scope.ts jobsInScope': ['c jobs_current, v rowid, groups'],
  'job-scope.ts reachesOutside': ['c jobs_of_parent, v rowid'],
  'job-submissions.ts devicesOfGroup': ['devices devices_of_group'],
  'job-submissions.ts devicesOfList': ['devices sqlite_autoindex_devices_1, sorts'],
  'job-submissions.ts devicesOfTag': ['t devices_of_tag, d rowid'],
  'job-submissions.ts insertAttempts': [
    'jobs rowid',
    'p rowid, d rowid, sorts, rollout_waves rollout_waves_of_job, to_judge rowid, output_runs key, job_output key, job_counts rowid, jobs jobs_of_parent',
  ],
  'jobs.ts assignedDevicesOf': ['jobs rowid, jobs jobs_of_parent, devices rowid'],
  'jobs.ts childDevices': ['jobs jobs_of_parent'],
  'jobs.ts childJobs': ['j jobs_of_parent, p rowid, c rowid', 'j jobs_of_parent, p rowid, c rowid, own_device rowid'],
  'jobs.ts childrenOfList': ['j sqlite_autoindex_jobs_1, p rowid, c rowid, sorts'],
  'jobs.ts countWaitingOffline': ['jobs jobs_waiting_of_parent, devices rowid'],
  'jobs.ts findJob': ['j sqlite_autoindex_jobs_1, p rowid, c rowid'],
  'jobs.ts jobsOfDevice': ['j jobs_of_device, p rowid, c rowid'],
  'jobs.ts lastJobsOfDevices': ['j rowid, l jobs_of_device, q rowid, p rowid, c rowid'],
  'jobs.ts nextUnfinished': ['j jobs_unfinished, p rowid, c rowid'],
  'jobs.ts parentsWaitingFor': ['jobs jobs_unfinished, sorts'],
  'jobs.ts queuedJobs': [
    'j jobs_unfinished, p rowid, c rowid',
    'j jobs_unfinished, p rowid, c rowid, own_device rowid',
  ],
  'jobs.ts topJobs': ['j jobs_top, p rowid, c rowid', 'j jobs_top, v rowid, c jobs_current, v rowid, p rowid, c rowid'],
  'jobs.ts topJobsWith': ['j jobs_of_artifact, p rowid, c rowid'],
  'jobs.ts unfinishedOf': ['j jobs_unfinished, p rowid, c rowid'],
  'jobs.ts waitingFor': ['j jobs_waiting_for, p rowid, c rowid'],
  'jobs.ts waitingJobs': ['jobs jobs_unfinished, sorts'],
  'name-index.ts openNameIndex': [
    'devices devices_of_account',
    'devices rowid',
    'jobs jobs_of_account',
    'audit audit_of_removed',
  ],
  'open-times.ts moveOpenTimes': [
    'jobs rowid, jobs all, jobs jobs_of_parent, jobs all jobs_by_move, sorts, rollout_waves key, rollouts all, sorts, w key, rollouts all, c jobs_of_parent, sorts, alert_jobs all, sorts',
    'output_runs key, jobs all',
    'rollout_waves key, rollouts all',
  ],
  'output-order.ts latestRun': ['output_runs key'],
  'output-order.ts runsFrom': ['output_runs key'],
  'output-usage.ts outputEndedBefore': ['jobs jobs_with_output, jobs jobs_archived'],
  'output-usage.ts removeOldestOutput': ['jobs jobs_with_output, jobs jobs_archived'],
  'people.ts currentRights': [
    's sqlite_autoindex_sessions_1, t sqlite_autoindex_tokens_1, p sqlite_autoindex_people_1',
    't sqlite_autoindex_tokens_1, p sqlite_autoindex_people_1',
  ],
  'people.ts hasOthers': ['a rowid, p people_of_account, t tokens_of_account'],
  'people.ts listPeople': ['p people_of_account, c sqlite_autoindex_person_codes_2'],
  'people.ts ownerOf': ['people people_of_account'],
  'rollout-devices.ts exitCodesOf': ['jobs sqlite_autoindex_jobs_1'],
  'rollout-devices.ts artifactsBefore': ['artifacts artifacts_of_account, artifacts sqlite_autoindex_artifacts_1'],
  'rollout-devices.ts backSince': ['j jobs_current, r key, v rowid, to_judge rowid, sorts'],
  'rollout-devices.ts countWave': ['j jobs_current, r key, v rowid, groups, to_judge rowid'],
  'rollout-devices.ts devicesOf': [
    'r rollout_devices_by_wave, w key, v sqlite_autoindex_devices_1, j jobs_current, to_judge rowid, to_judge rowid',
  ],
  'rollout-devices.ts failedDevices': ['w key, p rowid, j jobs_current, r key, v rowid, to_judge rowid, sorts'],
  'rollout-devices.ts skipDevices': ['rollout_devices key'],
  'rollout-devices.ts waitingJobs': ['r key, w key, v sqlite_autoindex_devices_1, j jobs_current'],
  'rollout-devices.ts keepOutcomes': [
    'w key, j jobs_current, to_judge rowid',
    'rollout_devices rollout_devices_by_wave, r key, w key, v sqlite_autoindex_devices_1, j jobs_current, to_judge rowid',
    'rollout_devices rollout_devices_by_wave, groups',
  ],
  'rollout-devices.ts keptCounts': [
    'rollout_devices rollout_devices_by_wave, own_device sqlite_autoindex_devices_1, groups',
  ],
  'rollout-devices.ts outcomeOf': ['r key, v sqlite_autoindex_devices_1, w key, j jobs_current, sorts'],
  'rollout-devices.ts runsOf': [
    'r rollout_devices_by_wave, w key, v sqlite_autoindex_devices_1, j jobs_current, to_judge rowid',
  ],
  'rollout-devices.ts sitesOf': ['devices rowid'],
  'rollout-devices.ts statesOf': [
    'r rollout_devices_by_wave, w key, v sqlite_autoindex_devices_1, j jobs_current, to_judge rowid, sorts',
  ],
  'rollout-devices.ts succeededDevices': ['w key, j jobs_current, v rowid, sorts'],
  'rollouts.ts addDevices': ['d sqlite_autoindex_devices_1'],
  'rollouts.ts devicesOfWave': ['r key, d sqlite_autoindex_devices_1, sorts'],
  'rollouts.ts openRollouts': ['rollouts all rollouts_open'],
  'rollouts.ts plannedDevices': [
    'rollout_devices rollout_devices_by_wave',
    'rollout_devices rollout_devices_by_wave, own_device sqlite_autoindex_devices_1',
  ],
  'rollouts.ts rolloutById': ['r rollout_devices_by_wave, v sqlite_autoindex_devices_1'],
  'rollouts.ts rolloutsOf': ['rollouts rollouts_of_account'],
  'rollouts.ts rolloutsToKeep': ['rollouts all rollouts_to_keep'],
  'rollouts.ts stepsOf': ['rollout_steps rollout_steps_of'],
  'rollouts.ts wavesOf': ['w key, j rowid'],
  'rules.ts jobsToJudge': ['to_judge all, j rowid, p rowid'],
  'rules.ts leaveVerdicts': ['to_judge rowid'],
  'rules.ts nameJobs': ['j all jobs_unnamed, a sqlite_autoindex_artifacts_1, w sqlite_autoindex_workflows_1'],
  'rules.ts ruleSetsOf': ['outcome_rules key'],
  'rules.ts shiftedChildren': ['jobs jobs_shifted'],
  'rules.ts storeVerdicts': ['jobs rowid'],
  'sessions.ts findSession': [
    's sqlite_autoindex_sessions_2, s sqlite_autoindex_sessions_3, a rowid, t sqlite_autoindex_tokens_1, p sqlite_autoindex_people_1',
  ],
  'sessions.ts listSessions': [
    's all, t sqlite_autoindex_tokens_1, p sqlite_autoindex_people_1, sorts',
    's sessions_of_person, t sqlite_autoindex_tokens_1, p sqlite_autoindex_people_1, sorts',
    's sessions_of_token, t sqlite_autoindex_tokens_1, p sqlite_autoindex_people_1, sorts',
  ],
  'sessions.ts liveSessions': [
    's sqlite_autoindex_sessions_1, a rowid, t sqlite_autoindex_tokens_1, p sqlite_autoindex_people_1',
  ],
  'sessions.ts lostSession': [
    's sqlite_autoindex_sessions_2, s sqlite_autoindex_sessions_3, p sqlite_autoindex_people_1',
  ],
  'standing-orders.ts activeStandingOrders': ['o all, a sqlite_autoindex_artifacts_1'],
  'standing-orders.ts retryDevices': ['standing_order_devices key'],
  'standing-orders.ts countStandingOrder': [
    'o rowid, d devices_of_group, v key, n key, j jobs_current, groups, to_judge rowid',
  ],
  'standing-orders.ts devicesToDeploy': [
    'd devices_of_group, j jobs_unfinished, t rowid, to_judge all, j rowid, r key, g key, v key, n standing_orders_of_device',
  ],
  'standing-orders.ts findStandingOrder': ['o sqlite_autoindex_standing_orders_1, a sqlite_autoindex_artifacts_1'],
  'standing-orders.ts standingOrderDevices': [
    'o rowid, d devices_of_group, v key, n key, j jobs_current, to_judge rowid, to_judge rowid',
  ],
  'standing-orders.ts standingOrdersOf': ['o sqlite_autoindex_standing_orders_1, a sqlite_autoindex_artifacts_1'],
  'state-history.ts gapsIn': ['service_gaps key'],
  'state-history.ts lastChange': ['state_changes state_changes_of_device'],
  'state-history.ts pruneStates': ['state_changes key, old key, later state_changes_of_device'],
  'state-history.ts stateChanges': [
    'state_changes key, devices rowid',
    'state_changes state_changes_of_device, devices rowid',
  ],
  'state-replay.ts stateReplay': ['devices devices_of_account', 'state_changes key'],
  'state-series.ts statesAt': ['state_changes key, state_changes state_changes_of_device'],
  'state-strips.ts stateStrips': ['state_changes state_changes_of_device'],
  'state-totals.ts addSettledTotals': ['state_changes key'],
  'state-totals.ts nextSums': [
    'state_totals, devices devices_of_account, state_changes state_changes_of_device, state_changes state_changes_of_device, state_changes state_changes_of_device, before key, first key, last key',
  ],
  'tags.ts listTags': ['tags sqlite_autoindex_tags_2, sorts'],
  'timeline.ts deviceEdits': ['audit_objects key, audit rowid, tags sqlite_autoindex_tags_2'],
  'timeline.ts jobEvents': ['jobs jobs_of_device, parents rowid', 'jobs jobs_of_device, parents rowid, sorts'],
  'timeline.ts notesOf': ['notes notes_of_device'],
  'timeline.ts tunnelEvents': ['audit audit_of_actor'],
  'tokens.ts listTokens': [
    'tokens tokens_of_account, people sqlite_autoindex_people_1, sorts',
    'tokens sqlite_autoindex_tokens_1, people sqlite_autoindex_people_1',
  ],
  'tokens.ts liveTokens': ['t sqlite_autoindex_tokens_1, p sqlite_autoindex_people_1'],
  'tokens.ts tokenHolder': ['t sqlite_autoindex_tokens_2, a rowid, p sqlite_autoindex_people_1'],
  'tunnels.ts deleteTunnels': [
    'tunnels tunnels_of_account, devices rowid',
    'tunnels tunnels_of_account, devices rowid, devices rowid',
  ],
  'tunnels.ts deleteTunnel': [
    'tunnels sqlite_autoindex_tunnels_1, devices rowid',
    'tunnels sqlite_autoindex_tunnels_1, devices rowid, devices rowid',
  ],
  'tunnels.ts listTunnels': ['tunnels tunnels_of_account, devices rowid, nodes key'],
  'tunnels.ts pruneTunnels': [
    'tunnels rowid, tunnels tunnels_of_device, sorts',
    'tunnels rowid, tunnels tunnels_of_device',
  ],
  'tunnels.ts requestedTunnel': ['tunnels sqlite_autoindex_tunnels_1, devices rowid, nodes key'],
  'tunnels.ts requestedTunnels': ['tunnels tunnels_requested'],
  'tunnels.ts tunnelElsewhere': ['tunnels sqlite_autoindex_tunnels_1, devices rowid, nodes key'],
  'uploads.ts endedUploads': ['uploads uploads_by_age'],
  'uploads.ts isKept': ['uploads sqlite_autoindex_uploads_1, artifacts sqlite_autoindex_artifacts_1'],
  'uploads.ts piecesOf': ['upload_pieces key'],
  'usage.ts usageOf': ['usage_days key'],
  'versions.ts versionOf': ['versions key'],
  'views.ts viewsOf': ['views key, sorts'],
  'workflows.ts listWorkflows': ['workflows workflows_of_account'],
};
