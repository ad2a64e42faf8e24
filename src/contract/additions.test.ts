// Additions must not collide with documented paths, which another service would take for its own.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import type { Endpoint } from '#/contract/endpoint.ts';

const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
const modules = await Promise.all(
  files.map((name) => import(new URL(name, import.meta.url).href) as Promise<Record<string, unknown>>),
);
/** Every row of every `…Endpoints` table in this folder. */
const rows = modules.flatMap((module) =>
  Object.entries(module)
    .filter(([name]) => name.endsWith('Endpoints'))
    .flatMap(([, group]) => Object.values(group as Record<string, Endpoint>)),
);
const added = rows.filter(({ addition }) => addition);
const documented = rows.filter(({ addition }) => !addition);

/** The path of a request, with an ordinary id for each parameter. */
const example = ({ path }: Endpoint) => path.replaceAll(/:[a-z_]+/g, 'id-1');
const matches = ({ path }: Endpoint, asked: string) =>
  new RegExp(`^${path.replaceAll(/:[a-z_]+/g, '[^/]+')}$`).test(asked);

test('no addition matches a documented path, nor the reverse', () => {
  assert.ok(added.length > 5 && documented.length > 20);
  for (const ours of added)
    for (const theirs of documented) {
      const what = `${ours.method} ${ours.path} and ${theirs.path}`;
      assert.ok(ours.method !== theirs.method || !matches(theirs, example(ours)), what);
      assert.ok(ours.method !== theirs.method || !matches(ours, example(theirs)), what);
    }
});
