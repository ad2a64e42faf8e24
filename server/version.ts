// The version of this service, from the one place where it is kept.
import manifest from '../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;
