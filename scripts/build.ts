// `npm run build`: builds the dashboard and the agent into dist/, even if nothing changed, and prints the result.
import { buildDist } from './dist.ts';

await buildDist({ verbose: true });
