// `npm run dev`: the dashboard from Vite with hot reload at the usual address, and the service behind it on another
// port, restarted when one of its files changes. Browsers and agents use only the Vite address: sign-in links, the
// Origin of writes and an agent's --server all name it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createServer as createVite } from 'vite';
import { buildIfStale } from './dist.ts';
import { freePort } from './test-process.ts';

const root = dirname(import.meta.dirname);
const host = process.env['HOST'] ?? '127.0.0.1';
const port = Number(process.env['PORT'] ?? 8080);
const publicUrl = process.env['PUBLIC_URL'] ?? `http://${host}:${port}`;

// Not for the dashboard, but for the agent's file, which the service publishes.
await buildIfStale();

const servicePort = await freePort();
process.env['SERVICE_URL'] = `http://127.0.0.1:${servicePort}`;
const vite = await createVite({
  root,
  configFile: join(root, 'vite.config.ts'),
  clearScreen: false,
  server: { host, port, strictPort: true, allowedHosts: [new URL(publicUrl).hostname] },
});
await vite.listen();

// Vite would have to speak TLS here, and it speaks plain HTTP.
const { TLS_CERT: _cert, TLS_KEY: _key, ...environment } = process.env;
const service = spawn(process.execPath, ['--watch', '--watch-preserve-output', join(root, 'server/main.ts')], {
  stdio: 'inherit',
  env: { ...environment, HOST: '127.0.0.1', PORT: String(servicePort), PUBLIC_URL: publicUrl },
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    // In a terminal Ctrl+C reaches the service too.
    if (!process.stdin.isTTY || signal === 'SIGTERM') service.kill(signal);
  });
}
await once(service, 'exit');
await vite.close();
