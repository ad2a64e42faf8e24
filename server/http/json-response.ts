// JSON that a handler writes itself, instead of an object: for lists that are too large for objects.

export type Json = string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

export class JsonResponse {
  /** The text, or how to make it. */
  readonly json: Json | (() => Json | Promise<Json>);
  /** Changes whenever the text would. Without it the ETag is a hash of the text; a stream has none. */
  readonly version: string | undefined;
  /**
   * Whether it may be compressed. Only without secrets in it: the length of a compressed answer reveals its content to
   * clients that control a part of it and can observe the connection (BREACH). A Command contains a token.
   */
  readonly compressible: boolean;

  constructor(json: JsonResponse['json'], version?: string, { compressible = false }: { compressible?: boolean } = {}) {
    this.json = json;
    this.version = version;
    this.compressible = compressible;
  }
}
