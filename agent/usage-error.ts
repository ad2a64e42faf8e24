// What is said instead of a stack when the agent cannot be started as it was asked to.

/** The command line cannot work; the message is the whole explanation. */
export class UsageError extends Error {}
