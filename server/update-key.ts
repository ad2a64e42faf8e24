// `npm run update-key`: shows or changes the key that updates of agents are signed with, directly in the database.
import { openAudit } from './store/audit.ts';
import { ConfigError } from './config-error.ts';
import { readConfig } from './config.ts';
import { openExisting } from './open-existing.ts';
import { FIRST_ACCOUNT, readAccount } from './store/accounts.ts';
import { changeUpdateKey, setUpUpdateKey } from './store/update-key.ts';

const USAGE = `Usage:
  npm run update-key              shows the public key that agents check updates with
  npm run update-key -- change    makes another one, which the present key signs`;

try {
  await run(process.argv.slice(2).join(' '));
} catch (cause) {
  if (!(cause instanceof ConfigError)) throw cause;
  console.error(cause.message);
  process.exitCode = 1;
}

async function run(command: string): Promise<void> {
  if (command !== '' && command !== 'change') throw new ConfigError(USAGE);
  const db = await openExisting(readConfig(process.env));
  try {
    const key = await db.write(async (tx) => {
      if (command === '') return setUpUpdateKey(tx);
      const email = (await readAccount(tx, FIRST_ACCOUNT))?.UserEmail ?? '';
      // Whoever may write to the database; there is no network address.
      const operator = { account: { id: FIRST_ACCOUNT, email }, actor: 'operator', address: 'local' };
      await openAudit(Date.now).record(tx, operator, 'update-key.change', '');
      return changeUpdateKey(tx);
    });
    console.log(key.publicKey);
    if (command === 'change')
      console.log('Restart the service, every node of it: agents follow to this key when they connect again.');
  } finally {
    await db.close();
  }
}
