// Tells when the answer to a request has come in whole, looking at no more of it than its head and its last bytes.
// One request at a time on a connection: nothing follows an answer. The bodies are JSON without line breaks, so that none
// can be taken for the last chunk.

const LAST_CHUNK = '0\r\n\r\n';

export class AnswerReader {
  #head: Buffer | undefined = Buffer.alloc(0);
  #status = 0;
  /** Bytes of the body still to come; undefined where it comes in chunks. */
  #left: number | undefined;
  #tail = '';

  /** Takes what has arrived; the status of the answer once it is whole, and the reader is then ready for the next. */
  push(part: Buffer): number | undefined {
    let body = part;
    if (this.#head) {
      const head = this.#head.length === 0 ? part : Buffer.concat([this.#head, part]);
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) {
        this.#head = head;
        return undefined;
      }
      this.#begin(head.toString('latin1', 0, end + 2));
      body = head.subarray(end + 4);
    }
    if (this.#left === undefined) {
      this.#tail = (this.#tail + body.subarray(-LAST_CHUNK.length).toString('latin1')).slice(-LAST_CHUNK.length);
      if (this.#tail !== LAST_CHUNK) return undefined;
    } else {
      this.#left -= body.length;
      if (this.#left > 0) return undefined;
    }
    this.#head = Buffer.alloc(0);
    return this.#status;
  }

  #begin(head: string): void {
    this.#head = undefined;
    this.#status = Number(head.slice(9, 12));
    const chunked = /\r\ntransfer-encoding: *chunked\r\n/i.test(head);
    this.#left = chunked ? undefined : Number(/\r\ncontent-length: *(\d+)\r\n/i.exec(head)?.[1] ?? 0);
    this.#tail = '';
  }
}
