// A worker for unit tests: it records what it is sent and answers what the test says.
import type { WorkerPort } from './worker-client.ts';

export class FakePort<Request> implements WorkerPort {
  onmessage: ((event: MessageEvent) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;
  readonly sent: { id?: number; request: Request }[] = [];
  isEnded = false;
  private readonly onSent: ((sent: { id: number; request: Request }) => void) | undefined;

  /** `onSent` is called for each request that expects an answer. */
  constructor(onSent?: (sent: { id: number; request: Request }) => void) {
    this.onSent = onSent;
  }

  postMessage(message: unknown): void {
    const { id, request } = message as { id?: number; request: Request };
    this.sent.push(id === undefined ? { request } : { id, request });
    if (id !== undefined) this.onSent?.({ id, request });
  }
  terminate(): void {
    this.isEnded = true;
  }
  say(received: { id: number } & ({ progress: unknown } | { answer: unknown } | { fault: string })): void {
    this.onmessage?.({ data: received } as MessageEvent);
  }
  fail(): void {
    this.onerror?.({ preventDefault: () => {} } as ErrorEvent);
  }
}
