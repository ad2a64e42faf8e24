// Why the certificate of a server that this one connects to was not trusted, and what the operator can do: for mail,
// webhooks, identity providers, artifact stores, PostgreSQL and upstream services alike.
// https://docs.openssl.org/3.5/man1/openssl-verification-options/, https://nodejs.org/api/errors.html

const ADD_AUTHORITY = 'set NODE_EXTRA_CA_CERTS to a file with it, and restart the service';
const UNKNOWN_AUTHORITY = `was signed by an authority that this machine does not know: if that is yours, ${ADD_AUTHORITY}`;
const OTHER_NAME = 'is for another name: connect by the name in the certificate';

const BY_CODE = new Map([
  ['CERT_HAS_EXPIRED', 'has expired: renew it on the server'],
  ['CERT_NOT_YET_VALID', 'is not valid yet: check the clocks of this machine and of the server'],
  ['CERT_REVOKED', 'was revoked: replace it on the server'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', `is self-signed: if it is yours, ${ADD_AUTHORITY}`],
  ['SELF_SIGNED_CERT_IN_CHAIN', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', UNKNOWN_AUTHORITY],
  ['UNABLE_TO_GET_ISSUER_CERT', 'comes without its whole chain: install the chain on the server'],
  [
    'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    `comes without its whole chain, which the server should send; or its authority is not known here: ${ADD_AUTHORITY}`,
  ],
  ['ERR_TLS_CERT_ALTNAME_INVALID', OTHER_NAME],
  ['HOSTNAME_MISMATCH', OTHER_NAME],
]);

/** What is wrong with the certificate, to follow "its certificate"; undefined if the fault is another one. */
export function certificateFault(cause: unknown): string | undefined {
  if (!(cause instanceof Error)) return undefined;
  // Nodemailer puts a code of its own in front and keeps the true one as originalCode; fetch wraps the error.
  const { code, originalCode } = cause as { code?: unknown; originalCode?: unknown };
  for (const each of [originalCode, code]) {
    const fault = typeof each === 'string' ? BY_CODE.get(each) : undefined;
    if (fault !== undefined) return `${fault} (${String(each)})`;
  }
  return certificateFault(cause.cause);
}
