// `npm start`: builds the dashboard if it is stale, then becomes the service.
import { buildIfStale } from './dist.ts';

await buildIfStale();
await import('../server/main.ts');
