// Messages from agents, collected into units of work: many to one transaction, each unit small enough that other work
// gets its turn in between.
import type { Hello } from '#/contract/agent-link.ts';
import type { AgentConnection } from '../agents/agent-connection.ts';
import { MESSAGE_COST } from '../agents/intake.ts';
import type { JobMessage } from '../agents/link.ts';
import type { Database, Tx } from '../store/database.ts';
import { logFault } from '../store/system-fault.ts';

export interface Turn {
  connection: AgentConnection;
  /** Undefined to only check for a job for it. */
  message?: JobMessage | Hello;
}

const TURNS_A_UNIT = 100;
const INTERNAL_ERROR = 1011;

const costOf = ({ message }: Turn): number =>
  message === undefined ? 0 : MESSAGE_COST + (message.type === 'output' ? message.data.length : 0);

function giveUp(turns: Turn[]): void {
  for (const { connection } of turns)
    connection.close(INTERNAL_ERROR, 'The service could not store messages of the agent');
}

export class Turns {
  readonly #db: Database;
  readonly #unit: (tx: Tx, turns: Turn[]) => Promise<void>;
  #waiting: Turn[] = [];
  #scheduled = false;

  constructor(db: Database, unit: (tx: Tx, turns: Turn[]) => Promise<void>) {
    this.#db = db;
    this.#unit = unit;
  }

  take(turn: Turn): void {
    turn.connection.unstored += costOf(turn);
    this.#waiting.push(turn);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      const turns = this.#waiting;
      this.#waiting = [];
      for (let start = 0; start < turns.length; start += TURNS_A_UNIT)
        void this.#write(turns.slice(start, start + TURNS_A_UNIT));
    });
  }

  async #write(turns: Turn[]): Promise<void> {
    try {
      await this.#db.write(async (tx) => {
        try {
          await this.#unit(tx, turns);
        } catch (cause) {
          // At once: the next unit may contain more of theirs.
          giveUp(turns);
          throw cause;
        }
      });
    } catch (cause) {
      // Nothing was stored, and the state in memory of these agents is ahead of the database. They reconnect and send
      // it all again.
      logFault('dispatch: could not store messages of agents', cause);
      giveUp(turns);
    }
    for (const turn of turns) turn.connection.unstored -= costOf(turn);
  }
}
