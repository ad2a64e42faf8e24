// Detects the end of an answer by reading only its head and its last bytes. There is one request at a time on a
// connection, so nothing follows an answer, and bodies are JSON without line breaks, so that none looks like the last
// chunk.

const LAST_CHUNK = '0\r\n\r\n';

export class AnswerReader {
  #head: Buffer | undefined = Buffer.alloc(0);
  #status = 0;
  /** Remaining bytes of the body; undefined for a chunked one. */
  #left: number | undefined;
  #tail = '';

  /** Reads a part; returns the status when the answer is complete, and is then ready for the next one. */
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
