// Uploads a file with progress: `call` for an endpoint that takes a form. Separate from it because few pages upload.
import type { Endpoint, RequestOf, ResponseOf } from '#/contract/endpoint.ts';
import { refusalError } from '#/api/api-error.ts';
import { readAnswer } from '#/api/call.ts';
import { apiTarget, networkError } from '#/api/direct.ts';
import { keyedHeaders } from '#/api/idempotency.ts';

/** Progress of an upload, in bytes of the whole request. */
export interface SendProgress {
  sent: number;
  total: number;
}

interface UploadOptions {
  /** The Idempotency-Key; a new one by default. */
  key?: string;
  signal?: AbortSignal;
  onProgress?: (progress: SendProgress) => void;
}

/** Calls an endpoint that takes a file. */
export async function upload<E extends Endpoint>(
  endpoint: E,
  request: RequestOf<E> & { file: File },
  options: UploadOptions = {},
): Promise<ResponseOf<E>> {
  const { form, file } = request as unknown as { form: Record<string, string | undefined>; file: File };
  const data = new FormData();
  for (const [name, value] of Object.entries(form)) if (value !== undefined) data.set(name, value);
  data.set('file', file);
  const { method, path, once }: Endpoint = endpoint;
  const headers = keyedHeaders(options.key === undefined ? {} : { 'idempotency-key': options.key }, once);
  const { status, responseText, header } = await transfer({ method, path, headers, body: data }, options);
  if (status < 200 || status > 299) throw refusalError(status, responseText, header('retry-after'));
  return readAnswer(endpoint, status, responseText);
}

export interface Answered {
  status: number;
  responseText: string;
  header: (name: string) => string | null;
}

interface Transfer {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: FormData | ArrayBuffer;
}

/** Sends one request with XHR, because fetch does not report upload progress. */
export function transfer(
  { method, path, headers, body }: Transfer,
  { signal, onProgress }: Pick<UploadOptions, 'signal' | 'onProgress'>,
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const cancelled = () => reject(new DOMException('The upload was cancelled', 'AbortError'));
    if (signal?.aborted) return cancelled();
    const xhr = new XMLHttpRequest();
    const abort = () => xhr.abort();
    signal?.addEventListener('abort', abort);
    const { url, headers: own } = apiTarget(path);
    xhr.open(method, url);
    for (const [name, value] of Object.entries({ accept: 'application/json', ...headers, ...own }))
      xhr.setRequestHeader(name, value);
    xhr.upload.onprogress = ({ loaded, total }) => onProgress?.({ sent: loaded, total });
    xhr.onload = () =>
      resolve({
        status: xhr.status,
        responseText: xhr.responseText,
        header: (name) => xhr.getResponseHeader(name),
      });
    xhr.onerror = () => reject(networkError());
    xhr.onabort = cancelled;
    xhr.onloadend = () => signal?.removeEventListener('abort', abort);
    xhr.send(body ?? null);
  });
}
