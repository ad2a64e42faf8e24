// What a device without a clone of this project needs: the agent as one file, and the script that installs it.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { AGENT_PATH } from '#/contract/agent-link.ts';
import { shellQuote } from '../jobs/artifact-command.ts';
import type { App } from '../http/implement.ts';
import type { PublishedAgent } from '../agents/published-agent.ts';

const read = (name: string) => readFileSync(path.join(import.meta.dirname, name), 'utf8');
const SCRIPT = read('install.sh').replace('{{MUSTER_AGENT}}\n', () => read('muster-agent.sh'));
const ADDRESS = "'{{PUBLIC_URL}}'";
const DIGEST = "'{{AGENT_SHA256}}'";

/** Registers /agent.mjs and /install.sh; both are public and contain no secret. */
export function installRoutes(app: App, context: { publicUrl: string; published: PublishedAgent }): void {
  const text = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-cache' };

  app.get('/install.sh', (http) =>
    // A function, because replace() would interpret "$" in a text.
    http.body(
      SCRIPT.replace(ADDRESS, () => shellQuote(context.publicUrl)).replace(DIGEST, () =>
        shellQuote(context.published.program()?.sha256 ?? ''),
      ),
      200,
      text,
    ),
  );

  app.get(AGENT_PATH, (http) => {
    const program = context.published.program();
    if (!program)
      return http.body(
        'The agent is not built yet: run "npm run build" where the service runs, then try again.\n',
        503,
        {
          ...text,
          'Retry-After': '60',
        },
      );
    return http.body(program.bytes, 200, { ...text, 'Content-Type': 'text/javascript; charset=utf-8' });
  });
}
