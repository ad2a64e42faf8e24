// Serves what a device needs to install the agent: the agent as one file, Node.js for a device that has none, and the
// script that installs them.
import { createReadStream, readFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { AGENT_PATH, RUNTIMES_PATH, SH_AGENT_PATH } from '#/contract/agent-link.ts';
import { shellQuote } from '../jobs/artifact-command.ts';
import { readRange } from '../http/byte-range.ts';
import type { App } from '../http/implement.ts';
import type { PublishedAgent } from '../agents/published-agent.ts';
import type { PublishedRuntimes } from '../agents/published-runtimes.ts';
import type { AgentSigner } from '../agents/signed-agent.ts';

const read = (name: string) => readFileSync(path.join(import.meta.dirname, name), 'utf8');
const SCRIPT = read('install.sh').replace('{{MUSTER_AGENT}}\n', () => read('muster-agent.sh'));

interface InstallContext {
  publicUrl: string;
  published: PublishedAgent;
  /** The agent of plain sh. */
  publishedSh: PublishedAgent;
  runtimes: PublishedRuntimes;
  signer: Pick<AgentSigner, 'key' | 'signed'>;
}

/** Registers /agent.mjs, /agent.sh, /runtimes and /install.sh; they are public and contain no secret. */
export function installRoutes(app: App, context: InstallContext): void {
  const text = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-cache' };

  app.get('/install.sh', async (http) => {
    // Undefined if there is no program to sign; the script then reports that when it downloads it.
    const agent = await context.signer.signed().catch(() => undefined);
    const program = context.published.program();
    const sh = context.publishedSh.program();
    const runtimes = new Map((await context.runtimes.all()).map((runtime) => [runtime.platform, runtime]));
    const runtimeOf = (platform: string) => {
      const { version, size, sha256 } = runtimes.get(platform) ?? {};
      return version === undefined ? '' : `${version} ${size} ${sha256}`;
    };
    const values = new Map(
      Object.entries<string>({
        PUBLIC_URL: context.publicUrl,
        AGENT_SHA256: program?.sha256 ?? '',
        AGENT_SIZE: String(program?.bytes.length ?? 0),
        SH_AGENT_SHA256: sh?.sha256 ?? '',
        SH_AGENT_SIZE: String(sh?.bytes.length ?? 0),
        RUNTIME_LINUX_X64: runtimeOf('linux-x64'),
        RUNTIME_LINUX_ARM64: runtimeOf('linux-arm64'),
        AGENT_SEQUENCE: String(agent && agent.program.sha256 === program?.sha256 ? agent.sequence : 0),
        UPDATE_KEY: context.signer.key.publicKey,
      }),
    );
    // A function, because replace() would interpret "$" in a string.
    const script = SCRIPT.replace(/'\{\{([A-Z0-9_]+)\}\}'/g, (whole, name: string) =>
      values.has(name) ? shellQuote(values.get(name) ?? '') : whole,
    );
    return http.body(script, 200, text);
  });

  const serve = (at: string, published: () => PublishedAgent, type: string) =>
    app.get(at, (http) => {
      const program = published().program();
      if (!program)
        return http.body(
          'The agent is not built yet: run "npm run build" where the service runs, then try again.\n',
          503,
          {
            ...text,
            'Retry-After': '60',
          },
        );
      return http.body(program.bytes, 200, { ...text, 'Content-Type': type });
    });
  serve(AGENT_PATH, () => context.published, 'text/javascript; charset=utf-8');
  serve(SH_AGENT_PATH, () => context.publishedSh, 'text/plain; charset=utf-8');

  app.get(`${RUNTIMES_PATH}/:name`, async (http) => {
    const runtime = (await context.runtimes.all()).find(({ name }) => name === http.req.param('name'));
    if (!runtime)
      return http.body(
        'This service has no such Node.js: run its present install.sh, which names what there is.\n',
        404,
        text,
      );
    const { file, size, sha256 } = runtime;
    const etag = `"${sha256}"`;
    const headers: Record<string, string> = {
      // Whoever unpacked it on the way would change its hash.
      'Cache-Control': 'no-cache, no-transform',
      'Content-Type': 'application/octet-stream',
      'Accept-Ranges': 'bytes',
      ETag: etag,
    };
    const mayUseRange = [undefined, etag].includes(http.req.header('If-Range'));
    const range = mayUseRange ? readRange(http.req.header('Range'), size) : undefined;
    if (range === 'unsatisfiable') return http.body(null, 416, { ...headers, 'Content-Range': `bytes */${size}` });
    const { start, end } = range ?? { start: 0, end: size - 1 };
    headers['Content-Length'] = String(end - start + 1);
    if (range) headers['Content-Range'] = `bytes ${start}-${end}/${size}`;
    const status = range ? 206 : 200;
    if (http.req.method === 'HEAD') return http.body(null, status, headers);
    const bytes = Readable.toWeb(createReadStream(file, { start, end })) as ReadableStream<Uint8Array>;
    return http.body(bytes, status, headers);
  });
}
