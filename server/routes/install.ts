// What a real device needs, which has no clone of this project: the agent as one file, and the script that installs it.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { shellQuote } from '../artifact-command.ts';
import type { App } from '../implement.ts';

const SCRIPT = readFileSync(path.join(import.meta.dirname, '../install/install.sh'), 'utf8');
const PLACEHOLDER = "'{{PUBLIC_URL}}'";

/** Registers /agent.mjs (from the build in `dist`) and /install.sh; both are for anybody, and hold no secret. */
export function installRoutes(app: App, context: { publicUrl: string }, dist: string): void {
  const text = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-cache' };

  app.get('/install.sh', (http) =>
    // Not as a pattern of replace(), in which "$" would have a meaning.
    http.body(
      SCRIPT.replace(PLACEHOLDER, () => shellQuote(context.publicUrl)),
      200,
      text,
    ),
  );

  app.get('/agent.mjs', async (http) => {
    let agent: Buffer;
    try {
      agent = await readFile(path.join(dist, 'agent/agent.mjs'));
    } catch {
      return http.body(
        'The agent is not built yet: run "npm run build" where the service runs, then try again.\n',
        503,
        {
          ...text,
          'Retry-After': '60',
        },
      );
    }
    return http.body(new Uint8Array(agent), 200, { ...text, 'Content-Type': 'text/javascript; charset=utf-8' });
  });
}
