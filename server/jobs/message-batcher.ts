// Groups the messages of agents into transactions: many messages share one, and each is small enough that other writes
// run in between.
import type { Facts, Hello } from '#/contract/agent-link.ts';
import type { AgentConnection } from '../agents/agent-connection.ts';
import { MESSAGE_COST } from '../agents/inbound-throttle.ts';
import type { JobMessage } from '../agents/link.ts';
import type { Database, Tx } from '../store/database.ts';
import { isEngineFault } from '../store/engine-fault.ts';
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

/** The messages of each connection alone. */
const partsOf = (batch: Received[]): Received[][] => [...Map.groupBy(batch, ({ connection }) => connection).values()];

export class MessageBatcher {
  readonly #db: Database;
  readonly #store: (tx: Tx, batch: Received[]) => Promise<void>;
  #waiting: Received[] = [];
  #isScheduled = false;
  /** What units of work are to store: each takes the first one when it begins. */
  readonly #batches: Received[][] = [];

  /** `store` handles a batch as one unit of work. If it throws, memory is as it was before. */
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
      for (let start = 0; start < all.length; start += MAX_BATCH) {
        this.#batches.push(all.slice(start, start + MAX_BATCH));
        void this.#write();
      }
    });
  }

  async #write(): Promise<void> {
    let batch: Received[] | undefined;
    let parts = 0;
    try {
      await this.#db.write(async (tx) => {
        batch = this.#batches.shift() ?? [];
        try {
          await this.#store(tx, batch);
        } catch (cause) {
          const alone = isEngineFault(cause) ? [] : partsOf(batch);
          if (alone.length > 1) {
            // One of them cannot be stored: each connection is handled again by itself. First of all, because the
            // batches that follow may have more messages of these agents.
            this.#batches.unshift(...alone);
            parts = alone.length;
          } else closeAll(batch);
          throw cause;
        }
      });
    } catch (cause) {
      for (let each = 0; each < parts; each++) void this.#write();
      if (parts > 0) return;
      // Nothing was stored, so the state of these agents in memory may be ahead of the database. They reconnect and send
      // everything again.
      batch ??= this.#batches.shift() ?? [];
      logFault('delivery: could not store messages of agents', cause);
      closeAll(batch);
    }
    for (const received of batch ?? []) {
      received.connection.unstored -= costOf(received);
      received.handled?.();
    }
  }
}
