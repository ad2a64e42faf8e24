// The error of a start that cannot continue, because of a setting or of what it found in its place.

/** The message is the whole explanation. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
