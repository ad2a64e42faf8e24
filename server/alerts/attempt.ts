// The outcome of one attempt to send a message, and faults of connections in words.

export interface Sent {
  delivered: boolean;
  /** Short, for a person; never what the other side wrote, which may be anything. */
  because: string;
  /** HTTP status of the answer. */
  status?: number;
}

const WORDS = new Map(
  Object.entries<string>({
    ECONNREFUSED: 'the connection was refused',
    ECONNRESET: 'the connection was closed without an answer',
    EPIPE: 'the connection was closed without an answer',
    ESOCKET: 'the connection failed',
    ECONNECTION: 'the connection failed',
    EHOSTUNREACH: 'the host cannot be reached',
    ENETUNREACH: 'the network cannot be reached',
    ENOTFOUND: 'the name does not exist',
    EDNS: 'the name cannot be resolved',
    EAI_AGAIN: 'the name cannot be resolved now',
    ETIMEDOUT: 'no answer in time',
    CERT_HAS_EXPIRED: 'its certificate has expired',
    DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
    SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is self-signed',
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate cannot be verified',
    ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
    EPROTO: 'it does not speak TLS as expected',
    ETLS: 'it does not speak TLS as expected',
    HPE_INVALID_CONSTANT: 'it does not speak HTTP',
    EABORT: 'the service was stopped',
    EAUTH: 'the SMTP server refused the login',
    EENVELOPE: 'the SMTP server refused the addresses',
    EMESSAGE: 'the SMTP server refused the message',
  }),
);

/** An error of a connection, in words. */
export function faultText(cause: unknown): string {
  const { code, responseCode } = (cause ?? {}) as { code?: unknown; responseCode?: unknown };
  const word =
    typeof code === 'string' ? (WORDS.get(code) ?? `the connection failed (${code})`) : 'the connection failed';
  return typeof responseCode === 'number' ? `${word} (${responseCode})` : word;
}
