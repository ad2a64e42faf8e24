// Everything the service holds open, made in one order and closed in the reverse one. Tests make their own.
import type { IncomingMessage } from 'node:http';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { openAudit } from './audit.ts';
import type { Audit } from './audit.ts';
import type { Config } from './config.ts';
import { openDatabase } from './store/database.ts';
import type { Database, Tx } from './store/database.ts';

/** The service's end of the agents' connections. */
export interface Link {
  /** An agent asks to turn its HTTP request into a connection. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Ends a device's connection; the agent is told why and does not come back with this key. */
  disconnect(deviceSeq: number, reason: 'deleted' | 'rekeyed'): void;
  close(): Promise<void>;
}

/** The queues of jobs. */
export interface Dispatch {
  /** A device is being deleted: its jobs that have not ended are cancelled. */
  deviceRemoved(tx: Tx, deviceSeq: number): void;
  close(): Promise<void>;
}

export interface Context {
  config: Config;
  /** Origin of the service as seen from outside; never taken from a request. Known once it listens. */
  publicUrl: string;
  /** Milliseconds since the epoch; tests move it. */
  now: () => number;
  db: Database;
  audit: Audit;
  dispatch: Dispatch;
  link: Link;
  close(): Promise<void>;
}

/** Opens the store and all that lives on it. Nothing listens yet. */
export function openContext(config: Config, { now = Date.now }: { now?: () => number } = {}): Context {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const db = openDatabase(path.join(config.dataDir, 'muster.db'));
  const context: Context = {
    config,
    publicUrl: config.publicUrl ?? '',
    now,
    db,
    audit: openAudit(now),
    dispatch: { deviceRemoved: () => {}, close: async () => {} },
    link: { upgrade: (_request, socket) => socket.destroy(), disconnect: () => {}, close: async () => {} },
    close: async () => {
      await context.link.close();
      await context.dispatch.close();
      await db.close();
    },
  };
  return context;
}
