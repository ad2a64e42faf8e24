// What the commands of the operator share, which work directly in the data folder, beside a running service or without one.
import { parseArgs } from 'node:util';
import { printSqlTime } from '#/contract/timestamps.ts';
import { ConfigError } from './config-error.ts';
import { readConfig } from './config.ts';
import type { Config } from './config.ts';
import { openExisting } from './open-existing.ts';
import { readAccount } from './store/accounts.ts';
import type { Actor } from './store/caller.ts';
import type { Database, Reader } from './store/database.ts';
import { StoreError } from './store/errors.ts';

/** An error of the user: the message is the whole explanation. */
export class UsageError extends Error {}

/** What was typed after the name of a command: words, and options by name. */
export interface Given {
  words: string[];
  options: Partial<Record<string, string | boolean>>;
}

export interface Command {
  /** How many words it takes at least and at most. */
  words: readonly [least: number, most: number];
  /** The options that it knows. */
  options: readonly string[];
  run: (db: Database, given: Given, config: Config) => Promise<unknown>;
}

/** Runs the command that was typed, or the first one of the list if none was; prints what is wrong in one line. */
export async function runCommand(
  usage: string,
  options: Record<string, { type: 'string' | 'boolean' }>,
  commands: Record<string, Command>,
): Promise<void> {
  try {
    const { command, given } = parsed(usage, options, commands);
    const config = readConfig(process.env);
    const db = await openExisting(config);
    try {
      await command.run(db, given, config);
    } finally {
      await db.close();
    }
  } catch (cause) {
    if (cause instanceof StoreError) console.error(`${cause.message}. ${cause.detail ?? ''}`);
    else if (cause instanceof UsageError || cause instanceof ConfigError) console.error(cause.message);
    else throw cause;
    process.exitCode = 1;
  }
}

function parsed(
  usage: string,
  options: Record<string, { type: 'string' | 'boolean' }>,
  commands: Record<string, Command>,
): { command: Command; given: Given } {
  const wrong = () => new UsageError(`Usage:${usage}`);
  let found;
  try {
    found = parseArgs({ args: process.argv.slice(2), options, allowPositionals: true });
  } catch (cause) {
    throw new UsageError(`${cause instanceof Error ? cause.message : String(cause)}\nUsage:${usage}`);
  }
  const [name = Object.keys(commands)[0] ?? '', ...words] = found.positionals;
  const command = new Map(Object.entries(commands)).get(name);
  if (!command) throw wrong();
  const [least, most] = command.words;
  if (words.length < least || words.length > most) throw wrong();
  if (Object.keys(found.values).some((option) => !command.options.includes(option))) throw wrong();
  return { command, given: { words, options: found.values } };
}

/** A number that was typed, or what is wrong with it. */
export function wholeNumber(text: string, what: string, most: number): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number > most)
    throw new UsageError(`${what} is "${text}", but must be a whole number from 1 to ${most}.`);
  return number;
}

/** Anyone who may write the data folder; there is no network address. */
export async function operatorOf(db: Reader, accountId: number): Promise<Actor> {
  const email = (await readAccount(db, accountId))?.UserEmail ?? '';
  return { account: { id: accountId, email }, actor: 'operator', address: 'local' };
}

export const day = (time: number | null): string => (time === null ? 'never' : `${printSqlTime(new Date(time))} UTC`);

/** A name for printing, without control characters that would move the cursor. */
export function printable(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '?');
}

export function printTable(head: string[], rows: string[][]): void {
  const widths = head.map((word, column) => Math.max(word.length, ...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of [head, ...rows])
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
}
