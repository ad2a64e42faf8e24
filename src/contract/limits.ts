// How many objects of a kind an account, or a device, may have. Each list of them is read whole, so none may grow without
// end. Views and standing orders have theirs beside their schemas; devices and artifacts are limited by the licence.
// One more is refused with a 409 that says what to delete.

export const MOST_ALERT_RULES = 200;
export const MOST_ALERT_CHANNELS = 50;
/** Of one device. */
export const MOST_NOTES = 500;
export const MOST_RULE_SETS = 2_000;
export const MOST_TAGS = 1_000;
/** Revoked ones do not count. */
export const MOST_TOKENS = 500;
export const MOST_WORKFLOWS = 2_000;

/** An artifact must be smaller than this many bytes (v1.md, "Limits": 10 MB, read as 10 × 1024 × 1024). */
export const ARTIFACT_BYTES_LIMIT = 10 * 1024 * 1024;
