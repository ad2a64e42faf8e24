// In which codings a client takes an answer (RFC 9110, section 12.5.3).

/** The names in an Accept-Encoding, without those that it rules out. */
export const acceptedCodings = (header: string | undefined): (string | undefined)[] =>
  (header ?? '')
    .split(',')
    .filter((coding) => !/;\s*q=0(\.0*)?\s*$/.test(coding))
    .map((coding) => coding.split(';')[0]?.trim().toLowerCase());
