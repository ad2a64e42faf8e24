// `npm start`: the dashboard is built if it is stale, then this process becomes the service.
import { buildIfStale } from './dist.ts';

await buildIfStale();
await import('../server/main.ts');
