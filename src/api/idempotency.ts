// Whether the service knows the Idempotency-Key header: its account says so. Until it has, none is sent, because a
// service at another address may allow only the headers of the document, and the browser would refuse the request.

let isAnnounced = false;

export function noteKeyHours(hours: number | undefined): void {
  isAnnounced = hours !== undefined && hours > 0;
}

const NAME = 'idempotency-key';

/** 128 random bits; `crypto.randomUUID` is missing on plain http. */
export const newIdempotencyKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The headers of a request, with a key of its own if it is sent `once` and has none. */
export function keyedHeaders(headers: Record<string, string> = {}, once = false): Record<string, string> {
  const { [NAME]: given, ...others } = headers;
  const key = given ?? (once ? newIdempotencyKey() : undefined);
  return isAnnounced && key !== undefined ? { ...others, [NAME]: key } : others;
}
