// Groups the messages of agents into transactions: many messages share one, and each is small enough that other writes
// run in between.
import type { Facts, Hello } from '#/contract/agent-link.ts';
import type { AgentConnection } from '../agents/agent-connection.ts';
import { MESSAGE_COST } from '../agents/inbound-throttle.ts';
import type { JobMessage } from '../agents/link.ts';
import type { Database, Tx } from '../store/database.ts';
import { logFault } from '../store/system-fault.ts';

export interface Received {
  connection: AgentConnection;
  /** Undefined if nothing arrived, but the database may have something for the agent. */
  message?: Facts | Hello | JobMessage;
  /** Called when it is stored, or the connection was closed because it could not be. */
  handled?: (() => void) | undefined;
}

const MAX_BATCH = 100;
const INTERNAL_ERROR = 1011;

const costOf = ({ message }: Received): number =>
  message === undefined ? 0 : MESSAGE_COST + (message.type === 'output' ? message.data.length : 0);

function closeAll(batch: Received[]): void {
  for (const { connection } of batch)
    connection.close(INTERNAL_ERROR, 'The service could not store messages of the agent');
}

export class MessageBatcher {
  readonly #db: Database;
  readonly #store: (tx: Tx, batch: Received[]) => Promise<void>;
  #waiting: Received[] = [];
  #isScheduled = false;

  /** `store` handles a batch as one unit of work. */
  constructor(db: Database, store: (tx: Tx, batch: Received[]) => Promise<void>) {
    this.#db = db;
    this.#store = store;
  }

  add(received: Received): void {
    received.connection.unstored += costOf(received);
    this.#waiting.push(received);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const all = this.#waiting;
      this.#waiting = [];
      for (let start = 0; start < all.length; start += MAX_BATCH) void this.#write(all.slice(start, start + MAX_BATCH));
    });
  }

  async #write(batch: Received[]): Promise<void> {
    try {
      await this.#db.write(async (tx) => {
        try {
          await this.#store(tx, batch);
        } catch (cause) {
          // Closed before the next batch runs, which may have more messages of these agents.
          closeAll(batch);
          throw cause;
        }
      });
    } catch (cause) {
      // Nothing was stored, so the state of these agents in memory is ahead of the database. They reconnect and send
      // everything again.
      logFault('delivery: could not store messages of agents', cause);
      closeAll(batch);
    }
    for (const received of batch) {
      received.connection.unstored -= costOf(received);
      received.handled?.();
    }
  }
}
