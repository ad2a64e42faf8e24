// The command line cannot work. The message is the whole explanation, printed without a stack.
export class UsageError extends Error {}
