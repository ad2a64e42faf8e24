// `npm run format-check`: what the service says in formats of others, read by their own tools. The OpenAPI document by Redocly CLI
// and Spectral, which npm gets into a temporary folder, and the metrics by promtool, which Debian has in `prometheus`. No other
// command runs it.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startTestService } from '../server/test-service.ts';

const TOOLS = ['@redocly/cli@2.77.0', '@stoplight/spectral-cli@6.16.3'];

const folder = mkdtempSync(path.join(tmpdir(), 'muster-formats-'));
const failed: string[] = [];

function check(what: string, command: string, args: readonly string[], input?: string): void {
  console.log(`\n== ${what}`);
  const { error, status } = spawnSync(command, args, {
    cwd: folder,
    input,
    stdio: [input === undefined ? 'ignore' : 'pipe', 'inherit', 'inherit'],
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
  });
  if (error && 'code' in error && error.code === 'ENOENT')
    console.log(`Left out, because ${command} is not installed.`);
  else if (error ?? status !== 0) failed.push(what);
  else console.log(`${what}: no errors.`);
}

const service = await startTestService();
try {
  const document = await (await fetch(`${service.url}/openapi.json`)).text();
  const metrics = await (await service.call('GET', '/metrics')).text();
  writeFileSync(path.join(folder, 'openapi.json'), document);
  writeFileSync(path.join(folder, 'spectral.yaml'), 'extends: ["spectral:oas"]\n');
  check('npm install', 'npm', ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder, ...TOOLS]);
  const tool = (name: string) => path.join(folder, 'node_modules/.bin', name);
  check('Redocly CLI', tool('redocly'), ['lint', 'openapi.json', '--format=summary']);
  check('Spectral', tool('spectral'), ['lint', 'openapi.json', '--ruleset=spectral.yaml', '--fail-severity=error']);
  check('promtool', 'promtool', ['check', 'metrics'], metrics);
} finally {
  await service.end();
  rmSync(folder, { recursive: true, force: true });
}
console.log(
  failed.length === 0 ? '\nEach tool takes what the service says.' : `\nNot without errors: ${failed.join(', ')}.`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
