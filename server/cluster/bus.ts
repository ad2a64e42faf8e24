// How nodes tell each other of changes at once: short messages with ids only. They may be lost, so the tables are the
// truth: a node looks there when a message arrives, when some may have been missed, and by a timer.
import type { Tx } from '../store/database.ts';

export interface BusOptions {
  /** Id of this node: digits and small letters. */
  node: string;
  /** Ids (seq) of devices, from another node, whose agents are to be looked at again in the tables. Must not throw. */
  received: (deviceSeqs: number[]) => void;
  /** Messages may have been missed: everything is to be looked at again. May come often. Must not throw. */
  missed: () => void;
  /** Shorter in tests. */
  pace?: Pace;
}

/** How fast a connection that does not answer is given up. */
export interface Pace {
  /** Between two questions to the server; the connection is lost when one has no answer for twice that long. */
  checkMs: number;
  connectMs: number;
}

export interface Bus {
  /** Sends to another node once the unit of work is durable, and not at all if it is rolled back. */
  send(tx: Tx, node: string, deviceSeqs: number[]): Promise<void>;
  /** Whether messages can arrive. */
  isConnected(): boolean;
  close(): Promise<void>;
}
