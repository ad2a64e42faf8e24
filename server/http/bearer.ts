// The token in an Authorization header (RFC 6750, section 2.1).

/** Undefined if the header contains anything else. */
export const bearerOf = (authorization: string): string | undefined => /^Bearer +([^\s]+) *$/i.exec(authorization)?.[1];
