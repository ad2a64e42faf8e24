// The content codings that a client accepts (RFC 9110, section 12.5.3).

/** The names in an Accept-Encoding, without excluded ones. */
export const acceptedCodings = (header: string | undefined): (string | undefined)[] =>
  (header ?? '')
    .split(',')
    .filter((coding) => !/;\s*q=0(\.0*)?\s*$/.test(coding))
    .map((coding) => coding.split(';')[0]?.trim().toLowerCase());
