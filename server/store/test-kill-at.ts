// Loaded by a service in a test (`--import`): kills it in the middle of a transaction, when it has run the first statement
// that contains KILL_AT.
import { StatementSync } from 'node:sqlite';
import { Client } from 'pg';

const at = process.env['KILL_AT'];

function killAfter(sql: string): void {
  if (at !== undefined && sql.includes(at)) process.kill(process.pid, 'SIGKILL');
}

for (const name of ['run', 'get', 'all'] as const) {
  const original: (this: StatementSync, ...args: never[]) => unknown = StatementSync.prototype[name];
  Object.defineProperty(StatementSync.prototype, name, {
    value(this: StatementSync, ...args: never[]) {
      const result = original.apply(this, args);
      killAfter(this.sourceSQL);
      return result;
    },
  });
}

const query = Reflect.get(Client.prototype, 'query') as (this: Client, ...args: unknown[]) => unknown;
Object.defineProperty(Client.prototype, 'query', {
  async value(this: Client, ...args: unknown[]) {
    const result = await query.apply(this, args);
    const [asked] = args as [string | { text: string }];
    killAfter(typeof asked === 'string' ? asked : asked.text);
    return result;
  },
});
