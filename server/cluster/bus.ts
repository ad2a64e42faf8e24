// How nodes notify each other of changes: short messages that hold ids only. Messages may be lost, so the tables are the
// truth: a node reads them when a message arrives, when some may have been missed, and on a timer.
import type { Tx } from '../store/database.ts';

export interface BusOptions {
  /** Id of this node: digits and small letters. */
  node: string;
  /** Another node changed something for the agents of these devices (by seq). Must not throw. */
  received: (deviceSeqs: number[]) => void;
  /** Messages may have been missed, so all tables are to be read. May be called often. Must not throw. */
  missed: () => void;
  /** Shorter in tests. */
  pace?: Pace;
}

/** How soon a connection that does not answer counts as lost. */
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
