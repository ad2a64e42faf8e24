// For the end-to-end tests: adds accounts to a running service, as `npm run account -- add` does. Each line of its input is the
// name of one; it prints the name again with the account's token and a code that signs its first Admin in.
import { createInterface } from 'node:readline';
import { readConfig } from '../server/config.ts';
import { openExisting } from '../server/open-existing.ts';
import { addAccount } from '../server/store/accounts.ts';
import { createSigninCode } from '../server/store/sessions.ts';
import { createToken } from '../server/store/tokens.ts';

const config = readConfig(process.env);
const db = await openExisting(config);
for await (const name of createInterface({ input: process.stdin })) {
  const { maxDevices, artifactQuota: artifactLimit } = config;
  const [token, code] = await db.write(async (tx) => {
    const now = Date.now();
    const email = `owner-${name}@example.com`;
    const account = await addAccount(tx, { name: '', email, maxDevices, artifactLimit }, now);
    const { secret } = await createToken(tx, account, 'AUTH_TOKEN', now);
    return [secret, await createSigninCode(tx, account, now)];
  });
  process.stdout.write(`${name} ${token} ${code}\n`);
}
await db.close();
