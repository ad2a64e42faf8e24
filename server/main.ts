// The service as a program: reads the environment, handles signals, prints a few lines.
import { ConfigError } from './config-error.ts';
import { readConfig, readLogFormat } from './config.ts';
import { StoreError } from './store/errors.ts';
import type { Config } from './config.ts';
import { placeOf } from './database-url.ts';
import type { Runtime } from './agents/published-runtimes.ts';
import { proxyNote } from './http/proxy-notice.ts';
import { startGateway } from './proxy/upstream-service.ts';
import { log, setLogFormat } from './operation/log.ts';
import { startService } from './service.ts';
import type { Service } from './service.ts';
import { FINISH_TIMEOUT_MS } from './http/traffic.ts';
import type { Traffic } from './http/traffic.ts';
import { VERSION } from './version.ts';

try {
  setLogFormat(readLogFormat(process.env));
  const config = readConfig(process.env);
  if (process.env['UPSTREAM_TOKEN'])
    log.warn('UPSTREAM_TOKEN is no longer used: remove it, and revoke that token where nothing else needs it.');
  if (config.upstreamUrl) {
    const gateway = await startGateway(config);
    stopOnSignal(gateway);
    log.notice(
      [
        `Muster is running at ${gateway.url}`,
        `Sign in: ${gateway.url}/sign-in`,
        `         (with a token of ${gateway.upstream.address})`,
        `Data:    ${config.dataDir} (sessions only)`,
        ...notesOf(config),
      ],
      'Muster is running.',
      { url: gateway.url, upstream: gateway.upstream.address, dataDir: config.dataDir, version: VERSION },
    );
  } else {
    const service = await startService(process.env);
    stopOnSignal({ traffic: service.context.traffic, close: () => service.close() });
    greet(service, await service.context.runtimes.all());
  }
} catch (cause) {
  if (cause instanceof StoreError) log.error(`${cause.message}. ${cause.detail ?? ''}`);
  else if (cause instanceof ConfigError) log.error(cause.message);
  else log.error('The service cannot start', cause);
  process.exitCode = 1;
}

function greet(
  { url, signinLink, context: { config, startup, tunnelPort, files, disk } }: Service,
  runtimes: Runtime[],
): void {
  const lines = [
    `Muster is running at ${url}`,
    `Sign in: ${signinLink}`,
    '         (works once, for 10 minutes; each start prints a new one)',
    `Tunnels: ${config.tunnelScheme}://*.${config.tunnelDomain.name}, served on port ${tunnelPort}`,
    `Devices: ${runtimesOf(runtimes)}`,
    ...placesOf(config),
  ];
  if (startup.createdToken !== undefined)
    lines.push(
      `Token:   ${startup.createdToken}`,
      '         (for API clients; shown this once, "npm run token" makes others)',
    );
  const problem = disk.problem();
  if (problem !== undefined) lines.push(`Note:    ${problem}`);
  lines.push(...files.notes.map((note) => `Note:    ${note}`));
  if (startup.envTokenRevoked)
    lines.push('Note:    AUTH_TOKEN was revoked and opens nothing. Set another, or make one with "npm run token".');
  else if (config.authToken !== undefined && config.authToken.length < 22)
    lines.push(
      'Note:    AUTH_TOKEN is short enough to be guessed. Use 22 or more random characters outside of a test.',
    );
  if (config.publicUrl === undefined && ['0.0.0.0', '::'].includes(config.host))
    lines.push(`Note:    PUBLIC_URL is not set; devices and browsers use ${url}.`);
  lines.push(...notesOf(config));
  const { recovered } = startup;
  if (recovered)
    log.warn(
      'The service did not stop in order the last time (a crash, a kill or a power failure). All that was acknowledged is there.',
      {
        logBytesRecovered: recovered.logBytes,
        devicesMarkedOffline: recovered.devices,
        tunnelsMarkedDown: recovered.tunnels,
        runningJobsToBeReported: recovered.jobs,
      },
    );
  log.notice(lines, 'Muster is running.', {
    url,
    tunnelPort,
    dataDir: config.dataDir,
    version: VERSION,
    signIn: 'with a token: npm run token -- make NAME',
  });
}

/** Which devices need nothing installed before. */
function runtimesOf(runtimes: Runtime[]): string {
  const platforms = runtimes.map(({ platform }) => platform);
  return platforms.length > 0
    ? `get Node.js from here where they have none, on ${platforms.join(' and ')}`
    : 'need Node.js of their own, until "npm run runtimes" has got it for them';
}

/** Where everything is stored. */
function placesOf({ dataDir, databaseUrl, artifactStore, clusterSecret }: Config): string[] {
  if (!databaseUrl) return [`Data:    ${dataDir}`];
  const share = clusterSecret === undefined ? '' : ', which all nodes have to share';
  return [
    `Data:    ${placeOf(databaseUrl)}`,
    ...(artifactStore ? [] : [`         (artifacts stay in DATA_DIR${share}: ${dataDir})`]),
  ];
}

/** Notes that service and gateway have in common. */
function notesOf(config: Config): string[] {
  const proxy = proxyNote(config);
  return proxy === undefined ? [] : [`Note:    ${proxy}`];
}

function stopOnSignal(service: { traffic: Traffic; close(): Promise<void> }): void {
  process.on('uncaughtException', (cause) => {
    log.error('The service ends: nothing was ready for this error', cause);
    process.exit(1);
  });
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      // A second signal ends it at once: everything acknowledged is already on disk.
      if (stopping) process.exit(1);
      stopping = true;
      const { active } = service.traffic;
      if (active > 0)
        log.info(`Stopping; waits up to ${FINISH_TIMEOUT_MS / 1000} seconds for ${active} requests under way.`);
      else log.info('Stopping.');
      service.close().then(
        () => {
          log.info('Stopped.');
          process.exit(0);
        },
        (cause: unknown) => {
          log.error('The service could not stop in order', cause);
          process.exit(1);
        },
      );
    });
}
