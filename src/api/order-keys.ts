// The Idempotency-Keys of a form. An order whose answer was lost may have been carried out: sent again as it is, it carries
// the same key, so that a service that knows the header makes nothing a second time.
import { ApiError } from '#/api/api-error.ts';
import { newOrderKey } from '#/api/call.ts';

type Headers = { 'idempotency-key': string };

/** A refusal of the order itself; with anything else nobody knows whether it was carried out. */
const isRefused = (error: unknown) =>
  error instanceof ApiError && error.kind === 'refused' && error.status >= 400 && error.status < 500;

export class OrderKeys {
  private open: { order: string; key: string } | undefined;

  async send<Answer>(order: unknown, send: (headers: Headers) => Promise<Answer>): Promise<Answer> {
    const text = JSON.stringify(order);
    if (this.open?.order !== text) this.open = { order: text, key: newOrderKey() };
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
