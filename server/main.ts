// The service as a program: the environment in, signals obeyed, a few lines printed.
import { ConfigError, readConfig } from './config.ts';
import { Problem } from './problem.ts';
import type { Config } from './config.ts';
import { proxyNote } from './gateway/proxy-notice.ts';
import { startGateway } from './gateway/upstream-service.ts';
import { setLogFormat } from './log.ts';
import { startService } from './service.ts';
import type { Service } from './service.ts';

try {
  const config = readConfig(process.env);
  setLogFormat(config.logFormat);
  if (config.upstreamUrl) {
    const gateway = await startGateway(config);
    stopOnSignal(gateway);
    console.log(
      [
        `Muster is running at ${gateway.url}`,
        `Sign in: ${gateway.url}/sign-in`,
        `         (with a token of ${gateway.upstream.address})`,
        `Data:    ${config.dataDir} (sessions only)`,
        ...notesOf(config),
      ].join('\n'),
    );
  } else {
    const service = await startService(process.env);
    stopOnSignal(service);
    greet(service);
  }
} catch (cause) {
  if (cause instanceof Problem) console.error(`${cause.message}. ${cause.detail ?? ''}`);
  else if (cause instanceof ConfigError) console.error(cause.message);
  else throw cause;
  process.exitCode = 1;
}

function greet({ url, signinLink, context: { config, startup, tunnelPort, files, room } }: Service): void {
  const lines = [
    `Muster is running at ${url}`,
    `Sign in: ${signinLink}`,
    '         (works once, for 10 minutes; each start prints a new one)',
    `Tunnels: ${config.tunnelScheme}://*.${config.tunnelDomain.name}, served on port ${tunnelPort}`,
    `Data:    ${config.dataDir}`,
  ];
  if (startup.madeToken !== undefined)
    lines.push(
      `Token:   ${startup.madeToken}`,
      '         (for API clients; shown this once, "npm run token" makes others)',
    );
  const problem = room.problem();
  if (problem !== undefined) lines.push(`Note:    ${problem}`);
  if (files.setAside.count > 0)
    lines.push(
      `Note:    ${files.setAside.count} artifact files that the database does not know are now in ${files.setAside.folder}.`,
    );
  if (startup.envTokenRevoked)
    lines.push('Note:    AUTH_TOKEN was revoked and opens nothing. Set another, or make one with "npm run token".');
  else if (config.authToken !== undefined && config.authToken.length < 22)
    lines.push(
      'Note:    AUTH_TOKEN is short enough to be guessed. Use 22 or more random characters outside of a test.',
    );
  if (config.publicUrl === undefined && ['0.0.0.0', '::'].includes(config.host))
    lines.push(`Note:    PUBLIC_URL is not set; devices and browsers are told to use ${url}.`);
  lines.push(...notesOf(config));
  console.log(lines.join('\n'));
}

/** What the service and a gateway have to say alike. */
function notesOf(config: Config): string[] {
  const proxy = proxyNote(config);
  return proxy === undefined ? [] : [`Note:    ${proxy}`];
}

function stopOnSignal(service: { close(): Promise<void> }): void {
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      // Asked twice, it goes at once: what was acknowledged is on disk already.
      if (stopping) process.exit(1);
      stopping = true;
      service.close().then(
        () => process.exit(0),
        (cause: unknown) => {
          console.error(cause);
          process.exit(1);
        },
      );
    });
}
