// Serves what a device needs to install the agent: the agent as one file, and the script that installs it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { AGENT_PATH, SH_AGENT_PATH } from '#/contract/agent-link.ts';
import { shellQuote } from '../jobs/artifact-command.ts';
import type { App } from '../http/implement.ts';
import type { PublishedAgent } from '../agents/published-agent.ts';
import type { AgentSigner } from '../agents/signed-agent.ts';

const read = (name: string) => readFileSync(path.join(import.meta.dirname, name), 'utf8');
const SCRIPT = read('install.sh').replace('{{MUSTER_AGENT}}\n', () => read('muster-agent.sh'));

interface InstallContext {
  publicUrl: string;
  published: PublishedAgent;
  /** The agent of plain sh. */
  publishedSh: PublishedAgent;
  signer: Pick<AgentSigner, 'key' | 'signed'>;
}

/** Registers /agent.mjs, /agent.sh and /install.sh; they are public and contain no secret. */
export function installRoutes(app: App, context: InstallContext): void {
  const text = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-cache' };

  app.get('/install.sh', async (http) => {
    // Undefined if there is no program to sign; the script then reports that when it downloads it.
    const agent = await context.signer.signed().catch(() => undefined);
    const program = context.published.program();
    const sh = context.publishedSh.program();
    const values: Record<string, string> = {
      PUBLIC_URL: context.publicUrl,
      AGENT_SHA256: program?.sha256 ?? '',
      AGENT_SIZE: String(program?.bytes.length ?? 0),
      SH_AGENT_SHA256: sh?.sha256 ?? '',
      SH_AGENT_SIZE: String(sh?.bytes.length ?? 0),
      AGENT_SEQUENCE: String(agent && agent.program.sha256 === program?.sha256 ? agent.sequence : 0),
      UPDATE_KEY: context.signer.key.publicKey,
    };
    // A function, because replace() would interpret "$" in a string.
    const script = SCRIPT.replace(/'\{\{([A-Z0-9_]+)\}\}'/g, (whole, name: string) =>
      name in values ? shellQuote(values[name] ?? '') : whole,
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
}
