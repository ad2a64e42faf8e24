// The outcome of one attempt to send a message, and faults of connections in words.

import { certificateFault } from '../store/certificate-fault.ts';

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
  const certificate = certificateFault(cause);
  if (certificate !== undefined) return `its certificate ${certificate}`;
  // Nodemailer's own code says less than the system's, which it keeps as originalCode.
  const { code, originalCode, responseCode } = (cause ?? {}) as Record<
    'code' | 'originalCode' | 'responseCode',
    unknown
  >;
  const known = [originalCode, code].find((each): each is string => typeof each === 'string');
  const word = known === undefined ? 'the connection failed' : (WORDS.get(known) ?? `the connection failed (${known})`);
  return typeof responseCode === 'number' ? `${word} (${responseCode})` : word;
}
