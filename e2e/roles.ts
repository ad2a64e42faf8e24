// People with less than everything: a token with a role and groups, and a browser that is signed in with it.
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Role } from '../src/contract/permissions.ts';
import type { Service } from './fixtures.ts';

/** Makes a token with this role in these groups, or in all if none is named. */
export async function tokenWith(service: Service, role: Role, ...groups: string[]): Promise<string> {
  const { TokenId, Token } = await service.call<{ TokenId: string; Token: string }>('POST', '/v1/account/tokens', {
    Name: `the ${role}`,
    Proof: service.token,
  });
  const database = new DatabaseSync(path.join(service.dataFolder, 'muster.db'));
  try {
    database.exec('PRAGMA busy_timeout = 5000');
    database
      .prepare('UPDATE tokens SET role = ?, groups_json = ? WHERE id = ?')
      .run(role, JSON.stringify(groups), TokenId);
  } finally {
    database.close();
  }
  return Token;
}
