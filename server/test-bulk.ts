// Steps of tests of bulk work, through the API.
import assert from 'node:assert/strict';
import type { Bulk, BulkItem } from '#/contract/bulk.ts';
import { until } from '../scripts/test-process.ts';

type Call = (method: string, path: string, body?: unknown) => Promise<Response>;
type BulkAnswer = Bulk & { Items: BulkItem[]; Next: string; Keys?: Record<string, string> };

const AT_ONCE = 50;

export interface TestBulk {
  begin(draft: object): Promise<string>;
  get(id: string, query?: string): Promise<BulkAnswer>;
  /** Waits for its end; with all its items. */
  ended(id: string): Promise<BulkAnswer>;
  /** Begins it and waits: each item as "Outcome Because". */
  outcomes(draft: object): Promise<string[]>;
  tag(name: string): Promise<string>;
  devices(count: number, name?: string): Promise<string[]>;
}

export function testBulk(call: Call): TestBulk {
  const json = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await call(method, path, body);
    const text = await response.text();
    assert.equal(response.status, 200, `${method} ${path}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
  const bulk: TestBulk = {
    begin: async (draft) => (await json<{ BulkId: string }>('POST', '/v1/bulk', draft)).BulkId,
    get: (id, query = '?limit=500') => json<BulkAnswer>('GET', `/v1/bulk/${id}${query}`),
    ended: async (id) => {
      const last = await until(`bulk ${id} to end`, async () => {
        const found = await bulk.get(id);
        return found.State !== 'Running' && found;
      });
      for (let { Next } = last; Next !== '';) {
        const page = await bulk.get(id, `?limit=500&before=${Next}`);
        last.Items.push(...page.Items);
        if (page.Keys) last.Keys = { ...last.Keys, ...page.Keys };
        ({ Next } = page);
      }
      return last;
    },
    outcomes: async (draft) =>
      (await bulk.ended(await bulk.begin(draft))).Items.map(({ Outcome, Because }) => `${Outcome} ${Because}`.trim()),
    tag: async (name) => {
      await json('POST', `/v1/tag/${name}`);
      const tags = await json<{ TagId: string; TagName: string }[]>('GET', '/v1/tag');
      return tags.find(({ TagName }) => TagName === name)?.TagId ?? '';
    },
    devices: async (count, name = 'device') => {
      const ids: string[] = [];
      for (let from = 0; from < count; from += AT_ONCE)
        ids.push(
          ...(await Promise.all(
            Array.from({ length: Math.min(AT_ONCE, count - from) }, async (_, index) => {
              const draft = { DeviceName: `${name}-${from + index}`, DeviceGroup: '' };
              return (await json<{ DeviceId: string }>('POST', '/v1/devices', draft)).DeviceId;
            }),
          )),
        );
      return ids;
    },
  };
  return bulk;
}
