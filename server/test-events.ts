// For tests: reads a stream of /v1/events like a dashboard.
import assert from 'node:assert/strict';
import type { ChangeEvent } from '#/contract/changes.ts';
import { until } from '../scripts/test-process.ts';
import type { TestService } from './test-service.ts';

export interface TestEvent {
  event: string;
  id: string;
  data: ChangeEvent & { Version?: string };
}

/** The ids that an event names, of a resource whose ids are reported. */
export const idsIn = (reported: ChangeEvent[string] | undefined): string[] => (Array.isArray(reported) ? reported : []);

export class TestStream {
  readonly events: TestEvent[] = [];
  isOver = false;
  readonly #abort = new AbortController();

  /** Connects, with the headers of a resumed or signed-in stream if wanted. */
  static async open(
    service: Pick<TestService, 'call' | 'url'>,
    headers: Record<string, string> = {},
  ): Promise<TestStream> {
    const stream = new TestStream();
    const response = headers['Cookie']
      ? await fetch(`${service.url}/v1/events`, { headers, signal: stream.#abort.signal })
      : await service.call('GET', '/v1/events', undefined, headers);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'text/event-stream');
    assert.ok(response.body);
    void stream.#read(response.body);
    await stream.next('ready');
    return stream;
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    const reader = body.getReader();
    this.#abort.signal.addEventListener('abort', () => void reader.cancel().catch(() => {}));
    let text = '';
    try {
      for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
        text += decoder.decode(piece.value, { stream: true });
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) if (!block.startsWith(':')) this.events.push(parsed(block));
      }
    } catch {
      // Cut off.
    }
    this.isOver = true;
  }

  /** The next event of this name, which is taken off the list. */
  next(event: string): Promise<TestEvent> {
    return until(`the event ${event}`, async () => {
      const at = this.events.findIndex((each) => each.event === event);
      return at !== -1 && this.events.splice(0, at + 1).at(-1);
    });
  }

  /** The first event that names this device, and all before it, which are taken off the list. */
  naming(device: string): Promise<TestEvent[]> {
    return until(`an event that names ${device}`, async () => {
      const at = this.events.findIndex(({ data }) => idsIn(data['Devices']).includes(device));
      return at !== -1 && this.events.splice(0, at + 1);
    });
  }

  /** Waits for the stream to end. */
  over(): Promise<unknown> {
    return until('the end of the stream', async () => this.isOver);
  }

  close(): void {
    this.#abort.abort();
  }
}

function parsed(block: string): TestEvent {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
  return { event: field('event'), id: field('id'), data: JSON.parse(field('data')) as TestEvent['data'] };
}
