// How the dashboard is built and, for `npm run dev`, served: Vite in front, everything that is not a page goes on to the
// service (SERVICE_URL, set by scripts/dev.ts).
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';
import { unusedComponents } from './scripts/unused-components.ts';
import { firstLoad } from './scripts/first-load.ts';
import { sharedModules } from './scripts/shared-modules.ts';
import { visibleText } from './scripts/visible-text.ts';

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

export default defineConfig({
  plugins: [react(), unusedComponents(), visibleText(), nonceForDevelopment, apiAddress, firstLoad(), sharedModules()],
  build: {
    assetsInlineLimit: 0, // small fonts as data: URLs would be refused by the policy's font-src
    sourcemap: false,
    modulePreload: { polyfill: false }, // every browser of the build's target has it
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
