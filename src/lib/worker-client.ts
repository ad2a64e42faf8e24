// Requests to a worker and its answers. The worker starts with the first request; its own file calls `serve` once.

/** The part of Worker that is used here. */
export interface WorkerPort {
  onmessage: ((event: MessageEvent) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
  postMessage(message: unknown, transfer: Transferable[]): void;
  terminate(): void;
}

/** `unavailable`: the worker failed to load or crashed. `slow`: it exceeded the limit. `ended`: `close` was called. */
export class WorkerError extends Error {
  readonly kind: 'unavailable' | 'slow' | 'ended';

  constructor(kind: WorkerError['kind']) {
    super(`worker ${kind}`);
    this.kind = kind;
  }
}

/** A message without an id gets no answer. */
interface Sent<Request> {
  id?: number;
  request: Request;
}
type Received<Answer, Progress> = { id: number } & ({ progress: Progress } | { answer: Answer } | { fault: string });

interface Pending<Answer, Progress> {
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
  onProgress: ((progress: Progress) => void) | undefined;
  /** Fires if the worker is silent for too long after progress. */
  timer?: ReturnType<typeof setTimeout>;
}

interface Asking<Progress> {
  transfer?: Transferable[];
  /** Aborting rejects the promise and ignores the answer; the worker itself continues. */
  signal?: AbortSignal;
  onProgress?: (progress: Progress) => void;
}

const GRACE_MS = 50;

export class WorkerClient<Request, Answer = never, Progress = never> {
  private readonly start: () => WorkerPort;
  private readonly limit: number;
  private port: WorkerPort | undefined;
  private readonly pending = new Map<number, Pending<Answer, Progress>>();
  private asked = 0;
  /** The worker has been sent state that a new one would lack. */
  private hasState = false;
  private isStateLost = false;

  /** `limit`: how many milliseconds the worker may be silent after progress before it is terminated. */
  constructor(start: () => WorkerPort, limit = Infinity) {
    this.start = start;
    this.limit = limit;
  }

  ask(request: Request, { transfer = [], signal, onProgress }: Asking<Progress> = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.isStateLost) {
        this.isStateLost = false;
        throw new WorkerError('unavailable');
      }
      const id = ++this.asked;
      this.pending.set(id, { resolve, reject, onProgress });
      signal?.addEventListener('abort', () => this.take(id)?.reject(signal.reason as Error), { once: true });
      this.send({ id, request }, transfer);
    });
  }

  /** Starts the worker ahead of its first request. */
  begin(): void {
    this.port ??= this.open();
  }

  /** Sends a message that needs no answer, in sequence with the requests. */
  post(request: Request, transfer: Transferable[] = []): void {
    this.hasState = true;
    this.send({ request }, transfer);
  }

  /** Terminates the worker; the next request starts a new one. */
  close(): void {
    this.end('ended');
  }

  private send(message: Sent<Request>, transfer: Transferable[]): void {
    this.port ??= this.open();
    this.port.postMessage(message, transfer);
  }

  private open(): WorkerPort {
    const port = this.start();
    port.onmessage = ({ data }) => this.receive(data as Received<Answer, Progress>);
    port.onerror = (event) => {
      event.preventDefault();
      this.isStateLost = this.hasState && this.pending.size === 0;
      this.end('unavailable');
    };
    return port;
  }

  private receive(received: Received<Answer, Progress>): void {
    const { id } = received;
    if ('progress' in received) {
      const pending = this.pending.get(id);
      if (!pending) return;
      clearTimeout(pending.timer);
      if (this.limit < Infinity) pending.timer = setTimeout(() => this.endSoon(pending), this.limit);
      pending.onProgress?.(received.progress);
    } else if ('fault' in received) this.take(id)?.reject(new Error(received.fault));
    else this.take(id)?.resolve(received.answer);
  }

  /** Waits a moment first: on a busy page, an answer may have arrived and not been received yet. */
  private endSoon(pending: Pending<Answer, Progress>): void {
    pending.timer = setTimeout(() => this.end('slow'), GRACE_MS);
  }

  private take(id: number): Pending<Answer, Progress> | undefined {
    const pending = this.pending.get(id);
    clearTimeout(pending?.timer);
    this.pending.delete(id);
    return pending;
  }

  private end(kind: WorkerError['kind']): void {
    this.port?.terminate();
    this.port = undefined;
    this.hasState = false;
    for (const id of this.pending.keys()) this.take(id)?.reject(new WorkerError(kind));
  }
}

/** What a worker's handler gets besides the request. */
interface Serving<Progress> {
  report: (progress: Progress) => void;
  /** Whether no newer request has arrived. */
  isLatest: () => boolean;
}

/** Answers the page's requests in a worker. Of an error, the page gets the message. */
export function serve<Request, Answer, Progress = never>(
  answer: (request: Request, serving: Serving<Progress>) => Answer | Promise<Answer>,
  transferOf: (answer: Answer) => Transferable[] = () => [],
): void {
  let latest: number | undefined;
  const post = (message: Received<Answer, Progress>, transfer: Transferable[] = []) =>
    self.postMessage(message, { transfer });
  const handle = async ({ id, request }: Sent<Request>) => {
    if (id === undefined) return void answer(request, { report: () => {}, isLatest: () => true });
    latest = id;
    try {
      const answered = await answer(request, {
        report: (progress) => post({ id, progress }),
        isLatest: () => latest === id,
      });
      post({ id, answer: answered }, transferOf(answered));
    } catch (error) {
      post({ id, fault: error instanceof Error ? error.message : String(error) });
    }
  };
  self.addEventListener('message', ({ data }: MessageEvent<Sent<Request>>) => void handle(data));
}
