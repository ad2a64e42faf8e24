// How many objects of a kind an account may have. Each list is read in full, so it must not grow without bound. The limits of
// views and standing orders are beside their schemas; the licence limits devices and artifacts. One object too many is
// refused with a 409 that says what to delete.

export const MOST_ALERT_RULES = 200;
export const MOST_ALERT_CHANNELS = 50;
/** Notes per device. */
export const MOST_NOTES = 500;
/** People, with those who are invited or disabled. */
export const MOST_PEOPLE = 1_000;
export const MOST_RULE_SETS = 2_000;
export const MOST_TAGS = 1_000;
/** API tokens of the account, not counting revoked ones. */
export const MOST_TOKENS = 500;
/** API tokens of a person. */
export const MOST_TOKENS_OF_PERSON = 50;
export const MOST_WORKFLOWS = 2_000;

/**
 * An artifact must be smaller than this many bytes (v1.md, "Limits": 10 MB, read as 10 × 1024 × 1024), unless the account
 * says another limit.
 */
export const ARTIFACT_BYTES_LIMIT = 10 * 1024 * 1024;
