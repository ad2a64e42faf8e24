// A gateway as one value, with its address and a close function. It stores only sessions; everything else is in the
// upstream service.
import path from 'node:path';
import { openClock } from '../clock.ts';
import type { Clock, TimeSource } from '../clock.ts';
import { ConfigError } from '../config-error.ts';
import type { Config } from '../config.ts';
import { makeFolder } from '../open-store.ts';
import { openServer } from '../http/listen.ts';
import { requireKnownVersion } from '../store/database-file.ts';
import { openDatabase } from '../store/sqlite.ts';
import type { Database } from '../store/database.ts';
import { processGauges } from '../operation/process-metrics.ts';
import { openReadiness } from '../readiness.ts';
import { openMetricsPort } from '../metrics-port.ts';
import type { Operation } from '../api/operation.ts';
import { lockFolder } from '../store/lock.ts';
import { moveSealedSessions, SEALED_SESSIONS, WITH_ROLLOUTS } from '../store/sealed-sessions.ts';
import { instanceId } from '../store/settings.ts';
import { reportFault } from '../store/system-fault.ts';
import { openTraffic } from '../http/traffic.ts';
import type { Traffic } from '../http/traffic.ts';
import { createGatewayApp } from './upstream-app.ts';
import { saveUnfinishedRollouts } from './removed-rollouts.ts';
import { openUpstream } from './upstream.ts';
import type { Upstream } from './upstream.ts';

export interface GatewayContext {
  config: Config;
  /** The public address; known after listening. */
  publicUrl: string;
  clock: Clock;
  now: () => number;
  instanceId: string;
  db: Database;
  upstream: Upstream;
  traffic: Traffic;
}

interface Gateway {
  traffic: Traffic;
  url: string;
  config: Config;
  upstream: Upstream;
  close(): Promise<void>;
}

/** Starts a gateway and resolves when it listens. */
export async function startGateway(config: Config, { time }: { time?: TimeSource } = {}): Promise<Gateway> {
  if (!config.upstreamUrl) throw new ConfigError('UPSTREAM_URL is not set.');
  const file = path.join(config.dataDir, 'gateway.db');
  requireKnownVersion(file, SEALED_SESSIONS);
  makeFolder(config.dataDir);
  const lock = lockFolder(config.dataDir);
  try {
    const db = openDatabase(file, {
      kind: SEALED_SESSIONS,
      beforeUpgrade: (from, sqlite) => {
        if (from === WITH_ROLLOUTS) saveUnfinishedRollouts(sqlite, config.dataDir);
      },
    });
    const clock = await openClock({ db, time, moveTimes: moveSealedSessions, report: reportFault });
    const upstream = openUpstream(config.upstreamUrl);
    const context: GatewayContext = {
      config,
      publicUrl: config.publicUrl ?? '',
      clock,
      now: clock.now,
      instanceId: await db.write((tx) => instanceId(tx)),
      db,
      upstream,
      traffic: openTraffic(),
    };
    const operation: Operation = {
      gauges: processGauges(config.dataDir),
      readiness: openReadiness({
        db,
        // Only sessions are stored, so the test write suffices.
        diskFault: () => undefined,
        artifactFault: async () => undefined,
        isStopping: () => context.traffic.isStopping,
      }),
    };
    const server = await openServer(config, createGatewayApp(context, operation));
    context.publicUrl = server.publicUrl;
    const stopMetrics = await openMetricsPort(config, context, operation);
    return {
      traffic: context.traffic,
      url: context.publicUrl,
      config,
      upstream,
      close: async () => {
        context.traffic.stop();
        await Promise.all([server.stop(), stopMetrics()]);
        upstream.close();
        await clock.close();
        await db.close();
        lock.release();
      },
    };
  } catch (cause) {
    lock.release();
    throw cause;
  }
}
