// A row of the contract with its values, as the request that `call` would send: for showing it. Without the key of an order:
// that guards against browsers, which send a request again by themselves, and shown twice it would make one order of two.
import { mutationOptions } from '@tanstack/react-query';
import type { MutationMeta } from '@tanstack/react-query';
import type { Endpoint, RequestOf, ResponseOf } from '#/contract/endpoint.ts';
import { directAddress } from '#/api/direct.ts';
import { call, pathOf } from '#/api/call.ts';

export interface ApiRequest {
  /** Where the API is, when it is not where the page comes from. */
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

/** The mutation that sends exactly this, and what it sends. */
export const requestMutation = <E extends Endpoint>(endpoint: E, request: RequestOf<E>, meta: MutationMeta) => ({
  ...mutationOptions({ mutationFn: (): Promise<ResponseOf<E>> => call(endpoint, request), meta }),
  request: requestOf(endpoint, request),
});
