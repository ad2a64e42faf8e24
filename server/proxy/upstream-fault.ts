// Describes to the user why the upstream service gave no response.
import { Problem } from '../http/problem.ts';
import { certificateFault } from '../store/certificate-fault.ts';

/** The time limit for a response has passed. */
export class UpstreamTimeout extends Error {
  override readonly name = 'UpstreamTimeout';
}

/** The upstream service sent something that is not a valid response. */
export class InvalidAnswer extends Error {
  override readonly name = 'UpstreamStrange';
}

const CONNECTION = new Map(
  Object.entries<string>({
    ECONNREFUSED: 'Nothing listens there.',
    ENOTFOUND: 'There is no such name.',
    EAI_AGAIN: 'Its name cannot be looked up at the moment.',
    EHOSTUNREACH: 'There is no way to it from this gateway.',
    ENETUNREACH: 'There is no way to it from this gateway.',
    ETIMEDOUT: 'It did not answer in time.',
    ECONNRESET: 'It ended the connection without an answer.',
    EPIPE: 'It ended the connection without an answer.',
    EPROTO: 'It does not speak TLS on that port.',
  }),
);

/** The error for the browser: 504 after a timeout, otherwise 502. */
export function upstreamFault(cause: unknown, host: string): Problem {
  if (cause instanceof Problem) return cause;
  if (cause instanceof UpstreamTimeout)
    return new Problem(504, `${host} did not answer in time`, 'It may be overloaded. Try again later.');
  if (cause instanceof InvalidAnswer)
    return new Problem(502, `${host} gave no answer`, 'What it sent is not HTTP, or ended early.');
  const certificate = certificateFault(cause);
  if (certificate !== undefined)
    return new Problem(
      502,
      `The certificate of ${host} cannot be trusted`,
      `The token was not sent: it ${certificate}.`,
    );
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const why =
    CONNECTION.get(code) ?? (code.startsWith('HPE_') ? 'What it answers is not HTTP.' : 'The connection failed.');
  return new Problem(502, `${host} cannot be reached`, code ? `${why} (${code})` : why);
}
