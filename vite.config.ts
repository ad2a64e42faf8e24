// How the dashboard is built and, for `npm run dev`, served: Vite in front, everything that is not a page goes on to the
// service (SERVICE_URL, set by scripts/dev.ts).
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { noChunkCycles } from './scripts/chunk-cycles.ts';
import { firstLoad } from './scripts/first-load.ts';

// The Host header stays as the browser sent it: the service compares it with its public address, which is Vite's.
const service = { target: process.env['SERVICE_URL'] ?? 'http://127.0.0.1:8080', changeOrigin: false };

/** The service puts a fresh nonce into index.html at each request; here the page comes from Vite, so one fixed value does. */
const nonceForDevelopment: Plugin = {
  name: 'nonce-for-development',
  apply: 'serve',
  transformIndexHtml: (html) => html.replaceAll('{{nonce}}', 'development'),
};

/** For a plain file host: where the API is (docs/static-hosting.md). */
const apiAddress: Plugin = {
  name: 'api-address',
  transformIndexHtml: (html) => {
    const address = process.env['DASHBOARD_API']?.trim() ?? '';
    if (/["&<>\s]/.test(address)) throw new Error('DASHBOARD_API must be an address, or same-origin.');
    return html.replace('name="muster-api" content=""', `name="muster-api" content="${address}"`);
  },
};

// Looser than the service's own: Vite's hot reload needs inline scripts and styles. Still nothing from another origin.
const developmentPolicy = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self' ws: wss:",
].join('; ');

/**
 * What only dialogs, menus, pickers and single pages use, so that no first page waits for it: positioning, focus traps,
 * forms, the map, logs, jobs; the fleet index, which the table is drawn before. Nothing that stays may need any of it.
 */
const SELDOM = new RegExp(
  [
    'node_modules/(@floating-ui|react-remove-scroll(-bar)?|use-sidecar|use-callback-ref|react-style-singleton|get-nonce|tslib)/',
    'node_modules/(@mantine/(form|dropzone)|klona|fast-deep-equal|react-transition-group)/',
    'node_modules/(leaflet|react-leaflet|@react-leaflet|pmtiles|protomaps-leaflet|@protomaps|@mapbox|pbf|rbush|quickselect|color2k)/',
    '@mantine/core/esm/(utils/Floating|components/(Autocomplete|Combobox/(?!Combobox(Chevron|\\.module))|FocusTrap|Menu|Modal|Overlay|Popover|Portal|ScrollArea|Select|Textarea|Tooltip))',
    '@mantine/hooks/esm/(use-focus|use-drag|use-long-press|use-debounced)',
    '(?<!/lazy)-dialog\\.tsx$',
    'node_modules/(anser|@tanstack/(react-virtual|virtual-core))/',
    '/src/features/(?!bulk/selec|late-fleet|device-dialogs|install)',
    '/src/fleet/',
    '/src/lib/(csv|coordinates|crc32|glyphs|pace|save-file|zip)',
    '/src/ui/(log/|curl/|table/(filter-row|more-rows|virtual-table)|form/(drop-area|search-field|whole-number)|dialog/(leave-guard|secret-dialog|use-confirmed)|controls/meter)',
    '/src/api/(bulk|jobs|job-(output|state)|list-text|same-job|children|artifacts|workflows|tunnels|tags)',
    '/src/contract/(artifacts|workflows|tunnels|refusal|token-expiry|sign-in-check)',
    '/src/api/(direct|sign-in-words)', // sign-in has them too, and none of the rest
  ].join('|'),
);

const JOBS =
  /\/src\/(features\/(jobs|job-queue|outcome-rules)\/(?!stale-days|delete-job|remove-waiting)[^/]+|lib\/glyphs|ui\/log\/without-ansi|api\/(jobs|job-|children|same-job)[^/]*)\.tsx?$/;

export default defineConfig({
  plugins: [react(), nonceForDevelopment, apiAddress, firstLoad(), noChunkCycles()],
  build: {
    assetsInlineLimit: 0, // small fonts as data: URLs would be refused by the policy's font-src
    sourcemap: false,
    modulePreload: { polyfill: false }, // every browser of the build's target has it
    rolldownOptions: {
      output: {
        // Left alone, the bundler makes a file of each set of modules that the same pages share: about forty to the
        // device table, most below 1 kB, and over HTTP/1.1 six travel at a time. One file of what three pages share cut
        // the time to that table by a quarter on a slow line, for 7 kB more (`npm run bench -- weight` has the sizes).
        codeSplitting: {
          groups: [
            { name: 'entry', tags: ['$initial'], priority: 2 },
            {
              name: 'common',
              minShareCount: 3,
              includeDependenciesRecursively: false, // through an index module "dependencies" would be a whole library
              test: (id) => !SELDOM.test(id.replaceAll('\\', '/')),
              priority: 1,
            },
            // Likewise what the pages about jobs share, the overview among them: otherwise a file for each module of it.
            { name: 'jobs', minShareCount: 2, includeDependenciesRecursively: false, test: JOBS, priority: 2 },
          ],
        },
      },
    },
  },
  worker: { format: 'es' },
  server: {
    cors: false,
    watch: { ignored: ['**/data/**', '**/dist/**', '**/.cache/**', '**/test-results/**'] },
    headers: { 'Content-Security-Policy': developmentPolicy },
    proxy: {
      '/v1': service,
      '/auth': service,
      '/agent.mjs': service,
      '/install.sh': service,
      '/openapi.json': service,
      '/agent/link': { ...service, ws: true },
    },
  },
});
