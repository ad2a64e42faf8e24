// Callers with a role that is limited to device groups, and a check that nothing of other groups reaches them.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import type { Role } from '#/contract/permissions.ts';
import { createToken } from './store/tokens.ts';
import type { TestService } from './test-service.ts';

export interface LimitedCaller {
  /** A request with the token of this role; its answer must not contain anything foreign. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Response>;
  /** The status of the answer. */
  status(method: string, path: string, body?: unknown): Promise<number>;
  /** The answer to a request that must succeed, parsed. */
  json<T>(method: string, path: string, body?: unknown): Promise<T>;
}

/** The names and contents of the files in a ZIP. */
export function unpacked(zip: Buffer): string {
  const list = 'import sys, zipfile, io; z = zipfile.ZipFile(io.BytesIO(sys.stdin.buffer.read()));';
  const print = 'print([(n, z.read(n).decode()) for n in z.namelist()])';
  const { stdout, stderr } = spawnSync('python3', ['-c', list + print], { input: zip, encoding: 'utf8' });
  assert.equal(stderr, '');
  return stdout;
}

/** `foreign`: texts that no answer may contain, in any header or in the body, unless the request itself has them. */
export async function limitedCaller(
  service: TestService,
  { role, groups }: { role: Role; groups: readonly string[] },
  foreign: readonly string[],
): Promise<LimitedCaller> {
  const { secret } = await service.context.db.write(async (tx) => {
    const made = await createToken(tx, 1, `${role} of ${groups.join(', ')}`, Date.now());
    await tx.run('UPDATE tokens SET role = ?, groups_json = ? WHERE id = ?', role, JSON.stringify(groups), made.id);
    return made;
  });
  const call: LimitedCaller['call'] = async (method, path, body, headers = {}) => {
    const answer = await service.call(method, path, body, { ...headers, Authorization: `Bearer ${secret}` });
    const asked = decodeURIComponent(path) + JSON.stringify(body ?? '');
    const bytes = Buffer.from(await answer.clone().arrayBuffer());
    const files = answer.headers.get('Content-Type') === 'application/zip' ? unpacked(bytes) : '';
    const said = [...answer.headers].join('\n') + bytes.toString('latin1') + files;
    for (const text of foreign)
      if (!asked.includes(text)) assert.ok(!said.includes(text), `${method} ${path} tells of ${text}: ${said}`);
    return answer;
  };
  return {
    call,
    status: async (...request) => (await call(...request)).status,
    json: async <T>(method: string, path: string, body?: unknown) => {
      const answer = await call(method, path, body);
      const text = await answer.text();
      assert.equal(answer.status, 200, `${method} ${path}: ${text}`);
      return (text === '' ? undefined : JSON.parse(text)) as T;
    },
  };
}
