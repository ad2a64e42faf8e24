// The Idempotency-Keys of a form. A request whose answer was lost may have succeeded: an unchanged retry has the same key,
// so that a service that knows the header creates nothing twice.
import { ApiError } from '#/api/api-error.ts';
import { newIdempotencyKey } from '#/api/idempotency.ts';

type Headers = { 'idempotency-key': string };

/** Whether the request was refused; after any other error it may have succeeded. */
const isRefused = (error: unknown) =>
  error instanceof ApiError && error.kind === 'refused' && error.status >= 400 && error.status < 500;

export class RequestKeys {
  private open: { text: string; key: string } | undefined;

  async send<Answer>(body: unknown, send: (headers: Headers) => Promise<Answer>): Promise<Answer> {
    const text = JSON.stringify(body);
    if (this.open?.text !== text) this.open = { text, key: newIdempotencyKey() };
    try {
      const answer = await send({ 'idempotency-key': this.open.key });
      this.open = undefined;
      return answer;
    } catch (error) {
      if (isRefused(error)) this.open = undefined;
      throw error;
    }
  }
}
