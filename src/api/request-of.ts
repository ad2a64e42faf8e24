// A row of the contract with its values, as the request that `call` would send, for display. Without the
// Idempotency-Key, which protects against browsers that repeat requests; shown, it would be reused for another
// submission.
import { mutationOptions, type MutationMeta } from '@tanstack/react-query';
import type { Endpoint, RequestOf, ResponseOf } from '#/contract/endpoint.ts';
import { directAddress } from '#/api/direct.ts';
import { call, pathOf } from '#/api/call.ts';

export interface ApiRequest {
  /** The address of the API, if it is not the page's own. */
  base: string | undefined;
  method: string;
  path: string;
  body?: unknown;
  form?: Record<string, string | undefined>;
}

export function requestOf<E extends Endpoint>(endpoint: E, request: RequestOf<E>): ApiRequest {
  const { method }: Endpoint = endpoint;
  const { body, form } = request as Pick<ApiRequest, 'body' | 'form'>;
  return {
    base: directAddress,
    method,
    path: pathOf(endpoint, request as object),
    ...(body !== undefined && { body }),
    ...(form !== undefined && { form }),
  };
}

/** The mutation that sends this request, with the request itself. */
export const requestMutation = <E extends Endpoint>(endpoint: E, request: RequestOf<E>, meta: MutationMeta) => ({
  ...mutationOptions({ mutationFn: (): Promise<ResponseOf<E>> => call(endpoint, request), meta }),
  request: requestOf(endpoint, request),
});
