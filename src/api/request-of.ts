// A row of the contract with its values, as the request that `call` would send, for display. Without the
// Idempotency-Key, which protects against browsers that repeat requests; shown, it would be reused for another
// submission.
import { mutationOptions, type MutationMeta } from '@tanstack/react-query';
import type { Endpoint, RequestOf, ResponseOf } from '#/contract/endpoint.ts';
import { ApiError } from '#/api/api-error.ts';
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

/**
 * The mutation that sends this request, with the request itself. It is left out if it cannot be expressed: then
 * sending it fails, and not the page that offers it.
 */
export const requestMutation = <E extends Endpoint>(endpoint: E, request: RequestOf<E>, meta: MutationMeta) => ({
  ...mutationOptions({ mutationFn: (): Promise<ResponseOf<E>> => call(endpoint, request), meta }),
  ...expressible(endpoint, request),
});

function expressible<E extends Endpoint>(endpoint: E, request: RequestOf<E>): { request?: ApiRequest } {
  try {
    return { request: requestOf(endpoint, request) };
  } catch (cause) {
    if (cause instanceof ApiError) return {};
    throw cause;
  }
}
