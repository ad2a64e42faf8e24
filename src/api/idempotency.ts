// The Idempotency-Key header. It is sent only where the account offers it: a service on another origin may allow only the
// headers of the document, and the browser would then block the request.

let isOffered = false;

export function noteIdempotency(offered: boolean): void {
  isOffered = offered;
}

/** Whether the service carries out a request only once if it is resent with its key. */
export const isSafeToResend = (): boolean => isOffered;

const NAME = 'idempotency-key';

/** 128 random bits; `crypto.randomUUID` is missing on plain http. */
export const newIdempotencyKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The headers of a request. A `once` request without a key gets a new one. */
export function keyedHeaders(headers: Record<string, string> = {}, once = false): Record<string, string> {
  const { [NAME]: given, ...others } = headers;
  const key = given ?? (once ? newIdempotencyKey() : undefined);
  return isOffered && key !== undefined ? { ...others, [NAME]: key } : others;
}
