// `npm run update-key`: shows or changes the key that updates of agents are signed with, directly in the database.
import { openAudit } from './store/audit.ts';
import { ConfigError } from './config-error.ts';
import { readConfig } from './config.ts';
import { openExisting } from './open-existing.ts';
import { FIRST_ACCOUNT, readAccount } from './store/accounts.ts';
import { changeUpdateKey, replaceUpdateKey, setUpUpdateKey } from './store/update-key.ts';
import { StoreError } from './store/errors.ts';

const USAGE = `Usage:
  npm run update-key              shows the public key that agents check updates with
  npm run update-key -- change    makes another one, which the present key signs
  npm run update-key -- replace   makes one that no device trusts until it is installed again`;
const COMMANDS = { show: setUpUpdateKey, change: changeUpdateKey, replace: replaceUpdateKey };

try {
  await run(process.argv[2] ?? 'show');
} catch (cause) {
  if (cause instanceof StoreError) console.error(`${cause.message}. ${cause.detail ?? ''}`);
  else if (cause instanceof ConfigError) console.error(cause.message);
  else throw cause;
  process.exitCode = 1;
}

async function run(command: string): Promise<void> {
  if (command !== 'show' && command !== 'change' && command !== 'replace') throw new ConfigError(USAGE);
  const config = readConfig(process.env);
  const db = await openExisting(config);
  try {
    const key = await db.write(async (tx) => {
      const made = await COMMANDS[command](tx, config.updateKeySecret);
      if (command === 'show') return made;
      const email = (await readAccount(tx, FIRST_ACCOUNT))?.UserEmail ?? '';
      // Whoever may write to the database; there is no network address.
      const operator = { account: { id: FIRST_ACCOUNT, email }, actor: 'operator', address: 'local' };
      await openAudit(Date.now).record(tx, operator, `update-key.${command}`, '');
      return made;
    });
    console.log(key.publicKey);
    if (command !== 'show') console.log('Restart the service, every node of it, so that it signs with this key.');
    if (command === 'change') console.log('Devices follow to it when they connect again.');
    if (command === 'replace')
      console.log('Then run install.sh with --update on each device: until then it refuses updates.');
  } finally {
    await db.close();
  }
}
