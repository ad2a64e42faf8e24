// Nothing grows without end: one more than the most is refused in words, and accepted once another was deleted.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import * as most from '#/contract/limits.ts';
import type { ProblemBody } from '#/contract/problem.ts';
import type { Tx } from '../store/database.ts';
import { testFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';
import type { TestService } from '../test-service.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ ALERT_PRIVATE_TARGETS: '1' });
});
after(() => service.end());

/** Adds rows of account 1 until there are so many. */
const fill = (table: string, columns: string, values: (number: number) => (string | number)[], count: number) =>
  service.context.db.write(async (tx: Tx) => {
    for (let number = 0; number < count; number++) {
      const row = values(number);
      await tx.run(`INSERT INTO ${table} (${columns}) VALUES (${row.map(() => '?').join(', ')})`, ...row);
    }
  });

async function isLimited(ask: () => Promise<Response>, title: RegExp, remove: () => Promise<unknown>): Promise<void> {
  const refused = await ask();
  assert.equal(refused.status, 409);
  const problem = (await refused.json()) as ProblemBody;
  assert.match(problem.title ?? '', title);
  assert.match(problem.detail ?? '', /(Delete|Revoke|Remove) .* first\./);
  await remove();
  assert.equal((await ask()).status, 200);
}
const sql = (statement: string) => service.context.db.write((tx) => tx.run(statement));

test('alert channels and rules are limited', async () => {
  const channel = { Name: 'c', Kind: 'webhook', Url: 'http://127.0.0.1:9/', Format: 'json' };
  const first = await service.call('POST', '/v1/alerts/channels', channel);
  const { ChannelId } = (await first.json()) as { ChannelId: string };
  await fill(
    'alert_channels',
    'id, account_id, name, kind, url, format, secret, recipients, created',
    (n) => [`channel-${n}`, 1, 'c', 'webhook', 'http://x.example/', 'json', 's', '[]', 0],
    most.MOST_ALERT_CHANNELS - 1,
  );
  await isLimited(
    () => service.call('POST', '/v1/alerts/channels', channel),
    /50 channels/,
    () => service.call('DELETE', '/v1/alerts/channels/channel-0'),
  );

  await fill(
    'alert_rules',
    'id, account_id, name, event, grp, tag_id, site, for_minutes, quiet_minutes, created',
    (n) => [`rule-${n}`, 1, 'r', 'DeviceOffline', '', '', '', 0, 0, 0],
    most.MOST_ALERT_RULES,
  );
  const rule = { Name: 'r', When: 'DeviceOffline', ForMinutes: 0, QuietMinutes: 0, Channels: [ChannelId] };
  await isLimited(
    () => service.call('POST', '/v1/alerts/rules', rule),
    /200 alert rules/,
    () => service.call('DELETE', '/v1/alerts/rules/rule-0'),
  );
});

test('notes are limited for each device by itself', async () => {
  const fleet = testFleet((...request) => service.call(...request));
  const [full, other] = [await fleet.device(), await fleet.device()];
  const { seq } = (await service.context.db.get<{ seq: number }>('SELECT seq FROM devices WHERE id = ?', full.id))!;
  await fill('notes', 'id, device_seq, at, actor, text', (n) => [`note-${n}`, seq, n, '', 'x'], most.MOST_NOTES);
  const write = (id: string) => service.call('POST', `/v1/device/${id}/notes`, { Text: 'one more' });
  assert.equal((await write(other.id)).status, 200);
  await isLimited(
    () => write(full.id),
    /500 notes about this device/,
    () => sql("DELETE FROM notes WHERE id = 'note-0'"),
  );
});

test('tags, tokens, workflows and outcome rules are limited; what is there can still be changed', async () => {
  await fill('tags', 'id, account_id, name, created', (n) => [`tag-${n}`, 1, `tag ${n}`, 0], most.MOST_TAGS);
  await isLimited(
    () => service.call('POST', '/v1/tag/more'),
    /1000 tags/,
    () => service.call('DELETE', '/v1/tag/tag-0'),
  );

  const known = (await (await service.call('GET', '/v1/account/tokens')).json()) as unknown[];
  await fill(
    'tokens',
    'id, account_id, name, prefix, hash, source, created',
    (n) => [`token-${n}`, 1, 't', 'mut', Buffer.from(`hash ${n}`) as never, 'made', 0],
    most.MOST_TOKENS - known.length,
  );
  await isLimited(
    () => service.call('POST', '/v1/account/tokens', { Name: 'one more' }),
    /500 tokens/,
    () => service.call('DELETE', '/v1/account/tokens/token-0'),
  );

  await fill(
    'workflows',
    'id, account_id, name, command, created',
    (n) => [`workflow-${n}`, 1, 'w', 'true', 0],
    most.MOST_WORKFLOWS,
  );
  await isLimited(
    () => service.call('POST', '/v1/workflow', { Name: 'one more', Command: 'true' }),
    /2000 workflows/,
    () => sql("DELETE FROM workflows WHERE id = 'workflow-0'"),
  );

  await fill(
    'outcome_rules',
    'account_id, name, rules, version, changed_by, changed',
    (n) => [1, `rules ${n}`, '[]', 1, '', 0],
    most.MOST_RULE_SETS,
  );
  const rules = [{ Find: 'done', Pattern: false, CaseSensitive: true, Stream: 'both', Verdict: 'Succeeded' }];
  const save = (name: string) => service.call('PUT', `/v1/rules/${encodeURIComponent(name)}`, { Rules: rules });
  assert.equal((await save('rules 1')).status, 200);
  await isLimited(
    () => save('new'),
    /2000 artifacts and commands with outcome rules/,
    () => service.call('PUT', '/v1/rules/rules%201', { Rules: [] }),
  );
});
