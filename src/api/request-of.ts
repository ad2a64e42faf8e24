// The request that `call` would send for a row of the contract and its values, for display. It has no Idempotency-Key:
// a copied key would be reused for other submissions.
import type { Endpoint, RequestOf } from '#/contract/endpoint.ts';
import { ApiError } from '#/api/api-error.ts';
import { directAddress } from '#/api/direct.ts';
import { pathOf } from '#/api/call.ts';

/** The values of a request, independent of its operation. */
export interface AnyRequest {
  params?: Record<string, string | number>;
  query?: Record<string, string | undefined>;
  body?: unknown;
}

export interface ApiRequest {
  /** The base URL of the API, if it is not the page's own origin. */
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

/** The request, unless it contains an id that no URL can express. */
export function expressible<E extends Endpoint>(endpoint: E, request: RequestOf<E>): { request?: ApiRequest } {
  try {
    return { request: requestOf(endpoint, request) };
  } catch (cause) {
    if (cause instanceof ApiError) return {};
    throw cause;
  }
}
