// `npm run deploy-check`: starts each file of deploy/ with the program it is for, in front of a real service with both
// agents. Only addresses, ports and names of hosts differ from the file. Debian has the programs:
//   apt install haproxy nginx caddy prometheus systemd openssl curl
// Exit code 1: something failed; 2: nothing failed, but something could not be run here.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { request as requestByTls } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { Agent, fetch as fetchBy, FormData } from 'undici';
import { testFleet } from '../server/test-fleet.ts';
import { shellAgent } from './shell-agent.ts';
import { endProcesses, freePort, ServiceProcess, TestProcess, until } from './test-process.ts';

const ROOT = path.dirname(import.meta.dirname);
const TOKEN = 'token-of-the-deploy-check';
const base = mkdtempSync(path.join(tmpdir(), 'muster-deploy-'));
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const read = (name: string) => readFileSync(path.join(ROOT, 'deploy', name), 'utf8');
const has = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** Files of deploy/ that were looked at, one way or another. */
const seen = new Set<string>();
let [failed, notRun] = [0, 0];

async function check(file: string, programs: string[], how: string, run: () => Promise<unknown>): Promise<void> {
  seen.add(file);
  const missing = programs.filter((program) => !has(program));
  if (missing.length > 0) {
    notRun += 1;
    return say(`not run  ${file}: ${missing.join(' and ')} is missing on this machine`);
  }
  try {
    await run();
    say(`ok       ${file}: ${how}`);
  } catch (error) {
    failed += 1;
    say(`FAILED   ${file}: ${(error as Error).stack ?? String(error)}`);
  }
}

/** A copy with other addresses; each must be there, so that a changed file changes this script. */
function copyOf(file: string, changes: [from: string, to: string][]): string {
  let copy = read(file);
  for (const [from, to] of changes) {
    if (!copy.includes(from)) throw new Error(`deploy/${file} has no "${from}" any more: correct this script`);
    copy = copy.replaceAll(from, to);
  }
  const at = path.join(base, file.replaceAll('/', '-'));
  writeFileSync(at, copy);
  return at;
}

// ---- The service, its devices, and what is tried through a proxy ---------------------------------------------------------

const certificates = path.join(base, 'certificates');
const pem = path.join(certificates, 'all.pem');

function makeCertificate(): void {
  mkdirSync(certificates);
  const [key, cert] = [path.join(base, 'key.pem'), path.join(base, 'cert.pem')];
  execFileSync(
    'openssl',
    [
      ...'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost -addext'.split(
        ' ',
      ),
      'subjectAltName=DNS:localhost,DNS:*.tunnels.example.net',
      '-keyout',
      key,
      '-out',
      cert,
    ],
    { stdio: 'ignore' },
  );
  writeFileSync(pem, readFileSync(cert, 'utf8') + readFileSync(key, 'utf8'));
}

interface Ports {
  service: number;
  tunnels: number;
  http: number;
  https: number;
}

/** A service behind a proxy that `start` starts, with both agents on the other side of it. */
async function behind(start: (ports: Ports) => TestProcess): Promise<void> {
  const [http, https, port, tunnels] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const url = `https://localhost:${https}`;
  const data = mkdtempSync(path.join(base, 'data-'));
  const service = new ServiceProcess({
    DATA_DIR: data,
    AUTH_TOKEN: TOKEN,
    PORT: String(port),
    TUNNEL_PORT: String(tunnels),
    PUBLIC_URL: url,
    TRUSTED_PROXY: 'loopback',
    TUNNEL_DOMAIN: 'tunnels.example.net',
    TUNNEL_SCHEME: 'https',
  });
  const programs: TestProcess[] = [];
  const local = createServer((incoming, outgoing) => outgoing.end(`device ${incoming.headers.host}`));
  const dispatcher = new Agent({ connect: { ca: readFileSync(pem) } });
  const call = (method: string, at: string, body?: unknown) =>
    fetchBy(url + at, {
      method,
      dispatcher,
      headers: {
        Authorization: `Bearer ${TOKEN}`,
        ...(body !== undefined && !(body instanceof FormData) && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    });
  try {
    local.listen(0, '127.0.0.1');
    await Promise.all([service.start(), once(local, 'listening')]);
    const proxy = start({ service: port, tunnels, http, https });
    programs.push(proxy);
    const reached = until(
      'the proxy to pass /readyz',
      async () => (await call('GET', '/readyz').catch(() => undefined))?.status === 200,
      20_000,
    );
    await Promise.race([
      reached,
      proxy.ended.then(() => {
        throw new Error(`it ended:\n${proxy.printed}`);
      }),
    ]).catch((error: unknown) => {
      throw new Error(`${(error as Error).message}\n${proxy.printed}`, { cause: error });
    });

    const redirect = await fetch(`http://localhost:${http}/devices?x=1`, { redirect: 'manual' });
    equal(
      'the redirect to https',
      [redirect.status, new URL(redirect.headers.get('Location') ?? '').protocol],
      [308, 'https:'],
    );

    const fleet = testFleet(call);
    for (const kind of ['node', 'sh'] as const) {
      const { id, key } = await fleet.device('', kind);
      const folder = mkdtempSync(path.join(base, `${kind}-`));
      const keyFile = path.join(folder, 'device-key');
      writeFileSync(keyFile, key);
      const destination = `http://127.0.0.1:${(local.address() as AddressInfo).port}`;
      const args = ['--server', url, '--key-file', keyFile, '--data', path.join(folder, 'data')];
      const agent =
        kind === 'node'
          ? new TestProcess(['agent/main.ts', ...args, '--tunnel', destination], { env: { NODE_EXTRA_CA_CERTS: pem } })
          : new TestProcess([shell, ...args], { command: 'sh', env: { CURL_CA_BUNDLE: pem } });
      programs.push(agent);
      const explain = (error: unknown) => {
        throw new Error(`${(error as Error).message}\n${agent.printed}`, { cause: error });
      };
      await until(`${kind} to be Online`, async () => (await fleet.status(id)) === 'Online').catch(explain);
      const job = await fleet.ended(await fleet.run('echo done', { DeviceId: id })).catch(explain);
      equal(`the job of the ${kind} agent`, [job.Status, job.Stdout], ['Succeeded', 'done\n']);
      if (kind === 'sh') continue;
      const [, address = ''] = await agent.line(/is open at (\S+)$/);
      const { hostname } = new URL(address);
      equal('a visit of the tunnel', await visit(https, hostname), `device ${hostname}`);
    }

    await seeEvents(call, () => call('POST', '/v1/tag/seen').then((answer) => equal('a new tag', answer.status, 200)));

    const bytes = randomBytes(6 * 1024 * 1024);
    const form = new FormData();
    const fields = { size: String(bytes.length), version: '1', type: 'script', destination: base, command: 'true' };
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', new File([bytes], 'six.bin'));
    const uploaded = await call('POST', '/v1/artifact', form);
    equal('an upload of 6 MB', uploaded.status, 200);
    const { ArtifactId } = (await uploaded.json()) as { ArtifactId: string };
    const [stored = ''] = readdirSync(path.join(data, 'artifacts')).filter((name) => name.includes(ArtifactId));
    const digest = (content: Buffer) => createHash('sha256').update(content).digest('hex');
    equal('the bytes of the upload', digest(readFileSync(path.join(data, 'artifacts', stored))), digest(bytes));
  } finally {
    await Promise.all(programs.map((program) => program.end()));
    await service.end();
    await dispatcher.destroy();
    local.close();
  }
}

function equal(what: string, found: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(found), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${what}: ${left}, expected ${right}`);
}

/** What a visitor of a tunnel gets, by its name. */
async function visit(port: number, hostname: string): Promise<string> {
  const sent = requestByTls({
    port,
    host: '127.0.0.1',
    servername: hostname,
    ca: readFileSync(pem),
    headers: { Host: hostname },
  }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return text(answer);
}

/** Fails unless the stream names a change while it is still open. */
async function seeEvents(
  call: (method: string, at: string) => ReturnType<typeof fetchBy>,
  change: () => Promise<void>,
) {
  const stream = await call('GET', '/v1/events');
  equal('the event stream', stream.status, 200);
  const reader = (stream.body as ReadableStream<Uint8Array>).getReader();
  let heard = '';
  const listening = (async () => {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      heard += Buffer.from(value).toString();
    }
  })().catch(() => {});
  await until('the stream to begin', () => heard !== '');
  await change();
  await until('the stream to name the change', () => heard.includes('"Tags"'), 10_000);
  await reader.cancel();
  await listening;
}

const shell = path.join(base, 'agent.sh');

// ---- The files -----------------------------------------------------------------------------------------------------------

const haproxy = () =>
  behind(({ service, tunnels, http, https }) => {
    const file = copyOf('haproxy.cfg', [
      ['bind :8080', `bind 127.0.0.1:${http}`],
      ['bind :8443', `bind 127.0.0.1:${https}`],
      ['crt /certificates/', `crt ${certificates}/`],
      ['check port 8080', `check port ${service}`],
      ['server node1 node1:8080', `server node1 127.0.0.1:${service}`],
      ['server node1 node1:8081', `server node1 127.0.0.1:${tunnels}`],
      // So many need 400,025 open files, which few machines for tests allow.
      ['maxconn 200000', 'maxconn 2000'],
      // Of one service, the other node is down.
      ['server node2 node2:8080', 'server node2 127.0.0.1:1 port 1'],
      ['server node2 node2:8081', 'server node2 127.0.0.1:1 port 1'],
    ]);
    return new TestProcess(['-db', '-f', file], { command: 'haproxy' });
  });

const nginx = () =>
  behind(({ service, tunnels, http, https }) => {
    const file = copyOf('nginx.conf', [
      ['127.0.0.1:8080', `127.0.0.1:${service}`],
      ['127.0.0.1:8081', `127.0.0.1:${tunnels}`],
      ['listen 80;', `listen 127.0.0.1:${http};`],
      ['listen 443 ', `listen 127.0.0.1:${https} `],
      ['muster.example.com.pem', 'all.pem'],
      ['tunnels.example.net.pem', 'all.pem'],
      ['/certificates/', `${certificates}/`],
      ['muster.example.com', 'localhost'],
    ]);
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (kind) => `${kind}_temp_path ${base}/${kind};`,
    );
    const main = path.join(base, 'nginx-main.conf');
    writeFileSync(
      main,
      `daemon off; pid ${base}/nginx.pid; error_log stderr; events {}\nhttp { access_log off; ${paths.join(' ')} include ${file}; }\n`,
    );
    return new TestProcess(['-c', main, '-p', base], { command: 'nginx' });
  });

const caddy = () =>
  behind(({ service, tunnels, http, https }) => {
    const file = copyOf('Caddyfile', [
      ['127.0.0.1:8080', `127.0.0.1:${service}`],
      ['127.0.0.1:8081', `127.0.0.1:${tunnels}`],
      ['tunnels.example.net.pem', 'all.pem'],
      ['/certificates/', `${certificates}/`],
      // A certificate that is there, instead of one from an authority.
      ['muster.example.com {', `localhost {\n\ttls ${pem} ${pem}`],
    ]);
    const ports = `{\n\tadmin off\n\thttp_port ${http}\n\thttps_port ${https}\n}\n`;
    writeFileSync(file, ports + readFileSync(file, 'utf8'));
    return new TestProcess(['run', '--adapter', 'caddyfile', '--config', file], {
      command: 'caddy',
      env: { HOME: base, XDG_DATA_HOME: base, XDG_CONFIG_HOME: base },
    });
  });

/** Verifies a unit under its own name, with this clone and this Node.js in place of those of a server. */
async function verify(file: string, name: string): Promise<void> {
  const copy = copyOf(`systemd/${file}`, [
    ['/usr/bin/node', process.execPath],
    ['/opt/muster', ROOT],
  ]);
  const unit = path.join(base, name);
  writeFileSync(unit, readFileSync(copy));
  const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' });
  if (status !== 0 || stderr.includes(name)) throw new Error(`systemd-analyze verify: ${status}\n${stdout}${stderr}`);
}

/** Prometheus scrapes a service, and each query of the dashboard is one that it understands. */
async function scrape(): Promise<void> {
  execFileSync('promtool', ['check', 'config', path.join(ROOT, 'deploy/prometheus.yml')], { stdio: 'pipe' });
  const [metrics, web] = await Promise.all([freePort(), freePort()]);
  const service = new ServiceProcess({
    DATA_DIR: mkdtempSync(path.join(base, 'data-')),
    AUTH_TOKEN: TOKEN,
    METRICS_PORT: String(metrics),
  });
  await service.start();
  const file = copyOf('prometheus.yml', [
    ["'node1:9464', 'node2:9464'", `'127.0.0.1:${metrics}'`],
    ['scrape_interval: 15s', 'scrape_interval: 1s'],
  ]);
  const program = new TestProcess(
    [`--config.file=${file}`, `--storage.tsdb.path=${base}/tsdb`, `--web.listen-address=127.0.0.1:${web}`],
    { command: 'prometheus' },
  );
  try {
    const query = async (expression: string) => {
      const answer = await fetch(`http://127.0.0.1:${web}/api/v1/query?query=${encodeURIComponent(expression)}`);
      return (await answer.json()) as {
        status: string;
        error?: string;
        data?: { result: { value: [number, string] }[] };
      };
    };
    const up = async () => (await query('up').catch(() => undefined))?.data?.result[0]?.value[1] === '1';
    await until('Prometheus to scrape the service', up).catch((error: unknown) => {
      throw new Error(`${(error as Error).message}\n${program.printed}`, { cause: error });
    });
    const { panels } = JSON.parse(read('grafana-dashboard.json')) as { panels: { targets: { expr: string }[] }[] };
    for (const { expr } of panels.flatMap(({ targets }) => targets)) {
      // Grafana puts in the span of its window.
      const { status, error } = await query(expr.replaceAll('$__rate_interval', '1m'));
      if (status !== 'success') throw new Error(`${expr}: ${error}`);
    }
  } finally {
    await program.end();
    await service.end();
  }
}

try {
  makeCertificate();
  writeFileSync(shell, shellAgent());
  const tried = 'redirect, both agents with a job, a tunnel, an event stream, an upload of 6 MB';
  await check('haproxy.cfg', ['haproxy', 'curl'], tried, haproxy);
  await check('nginx.conf', ['nginx', 'curl'], tried, nginx);
  await check('Caddyfile', ['caddy', 'curl'], tried, caddy);
  await check('systemd/muster.service', ['systemd-analyze'], 'systemd-analyze verify', () =>
    verify('muster.service', 'muster.service'),
  );
  await check('systemd/muster@.service', ['systemd-analyze'], 'systemd-analyze verify', () =>
    verify('muster@.service', 'muster@1.service'),
  );
  await check('prometheus.yml', ['prometheus', 'promtool'], 'promtool, and a service that is scraped', scrape);
  if (failed === 0 && has('prometheus'))
    say('ok       grafana-dashboard.json: Prometheus understands each query; Grafana itself was not run');
  seen.add('grafana-dashboard.json');
  for (const file of ['Dockerfile', 'Dockerfile.dockerignore', 'compose.yaml', 's3.example.json']) {
    seen.add(file);
    notRun += 1;
    say(`not run  ${file}: this script starts no images`);
  }
  // Their settings are checked by deploy.test.ts, against what the service reads.
  for (const file of ['muster.env.example', 'systemd/node.env.example', 'README.md']) seen.add(file);
  for (const file of readdirSync(path.join(ROOT, 'deploy'), { recursive: true, encoding: 'utf8' }))
    if (file !== 'systemd')
      if (!seen.has(file)) {
        failed += 1;
        say(`FAILED   ${file}: this script does not know it`);
      }
} finally {
  await endProcesses();
  rmSync(base, { recursive: true, force: true });
}
say(`${failed} failed, ${notRun} not run`);
process.exitCode = failed > 0 ? 1 : notRun > 0 ? 2 : 0;
