// `npm run build`: builds the dashboard and the agent into dist/, whether or not anything changed, and says what came out.
import { buildDist } from './dist.ts';

await buildDist({ verbose: true });
