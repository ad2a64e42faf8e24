// The queue of uploads: each file with its fields, its checks and its progress. A few are sent at a time; one that fails
// does not hold up the rest. Independent of React.
import type { Artifact } from '#/contract/artifacts.ts';
import type { ArtifactUpload } from '#/api/artifacts.ts';
import { newIdempotencyKey } from '#/api/idempotency.ts';
import { RequestQueue } from '#/lib/request-queue.ts';
import { meaningOf } from '#/lib/retry.ts';
import { createListeners } from '#/lib/store.ts';
import { UnconfirmedWrite } from '#/lib/unconfirmed-write.ts';
import type { Finding } from '#/pages/artifacts/inspect/finding.ts';
import type { ChosenFile } from '#/pages/artifacts/inspect/inspect-file.ts';
import { advance, startTransfer, type Transfer } from './transfer.ts';
import { wireForm, type Fields } from './upload-fields.ts';

/**
 * - `idle`: not sent yet. `waiting`: for its turn.
 * - `paused`: the service has a part of it, which sending it again continues.
 * - `cancelled` and `failed`: can be sent again, unless it may have been stored and could be stored twice.
 */
export type Stage =
  | { name: 'idle' | 'waiting' | 'cancelled' }
  | { name: 'sending' | 'paused'; transfer: Transfer }
  | { name: 'failed'; error: Error }
  | { name: 'stored'; artifact: Artifact };

/** What was found in the file itself. */
export interface Checked {
  findings: Finding[];
  sha256: string | undefined;
}

export interface QueuedFile {
  id: string;
  file: ChosenFile;
  fields: Fields;
  /** The suggested fields, to detect what the user has edited. */
  suggested: Fields;
  /** Undefined while the file is being checked. */
  checked: Checked | undefined;
  stage: Stage;
  /** The user has tried to upload it, so missing fields are marked. */
  isSubmitted: boolean;
  /** The service has a part of it, or the room for it. */
  isBegun: boolean;
}

export const isUnderWay = ({ stage: { name } }: QueuedFile): boolean => name === 'waiting' || name === 'sending';

/** Whether the service may have stored it, and would store it a second time. */
export const isUnconfirmed = ({ stage }: Pick<QueuedFile, 'stage'>): boolean =>
  stage.name === 'failed' && stage.error instanceof UnconfirmedWrite;

const AT_ONCE = 2;
/** Why an upload is aborted that is to be continued. */
const PAUSED = 'paused';

const newRequestQueue = () => new RequestQueue({ atOnce: AT_ONCE, signal: new AbortController().signal });

const isAbort = (error: unknown) => error instanceof Error && error.name === 'AbortError';

export class UploadQueue {
  private items: readonly QueuedFile[] = [];
  private readonly changes = createListeners();
  private readonly running = new Map<string, AbortController>();
  /** What was sent last, by item: sent again unchanged, it has the same key. */
  private readonly requests = new Map<string, { text: string; file: File; key: string }>();
  /** What the service has a part of, by item. */
  private readonly begun = new Map<string, string>();
  private readonly send: (planned: ArtifactUpload) => Promise<Artifact>;
  private readonly now: () => number;
  private readonly discard: (upload: string) => unknown;
  private queue = newRequestQueue();
  private made = 0;

  /** `discard` tells the service that an upload it has a part of is not continued. */
  constructor(
    send: (planned: ArtifactUpload) => Promise<Artifact>,
    {
      now = () => performance.now(),
      discard = () => {},
    }: { now?: () => number; discard?: (upload: string) => unknown } = {},
  ) {
    this.send = send;
    this.now = now;
    this.discard = discard;
  }

  readonly subscribe = this.changes.subscribe;
  snapshot = (): readonly QueuedFile[] => this.items;

  private show(items: readonly QueuedFile[]): void {
    this.items = items;
    this.changes.notify();
  }

  private change(id: string, change: Partial<QueuedFile>): void {
    this.show(this.items.map((item) => (item.id === id ? { ...item, ...change } : item)));
  }

  private find = (id: string) => this.items.find((item) => item.id === id);

  add(file: ChosenFile, fields: Fields): string {
    const id = `upload-${++this.made}`;
    const added = {
      id,
      file,
      fields,
      suggested: fields,
      checked: undefined,
      stage: { name: 'idle' },
      isSubmitted: false,
      isBegun: false,
    } as const;
    this.show([...this.items, added]);
    return id;
  }

  /** Replaces a file that is not under way. */
  replace(id: string, file: ChosenFile, fields: Fields, suggested: Fields): void {
    this.requests.delete(id);
    this.change(id, { file, fields, suggested, checked: undefined, stage: { name: 'idle' } });
  }

  fill(id: string, fields: Partial<Fields>): void {
    const item = this.find(id);
    if (item) this.change(id, { fields: { ...item.fields, ...fields } });
  }

  /** `checked` undefined: the file is being checked. */
  check(id: string, checked: Checked | undefined): void {
    if (this.find(id)?.checked !== checked) this.change(id, { checked });
  }

  /** Marks the missing fields. */
  markSubmitted(id: string): void {
    this.change(id, { isSubmitted: true });
  }

  /** Queues items; those that are under way or stored are left alone. */
  start(...ids: string[]): void {
    const startable = (item: QueuedFile) =>
      ids.includes(item.id) && !isUnderWay(item) && !isUnconfirmed(item) && item.stage.name !== 'stored';
    const started = this.items.filter(startable);
    this.show(this.items.map((item) => (startable(item) ? { ...item, stage: { name: 'waiting' } } : item)));
    for (const { id } of started) void this.queue.add(() => this.run(id)).catch(() => undefined);
  }

  /** Of one that can be continued. */
  pause(id: string): void {
    this.running.get(id)?.abort(PAUSED);
  }

  cancel(id: string): void {
    const item = this.find(id);
    if (item?.stage.name === 'waiting') this.change(id, { stage: { name: 'idle' } });
    else if (item?.stage.name === 'paused') this.change(id, { stage: { name: 'cancelled' } });
    else this.running.get(id)?.abort();
    this.giveUp(id);
  }

  private giveUp(id: string): void {
    const upload = this.begun.get(id);
    if (!this.begun.delete(id) || upload === undefined) return;
    this.change(id, { isBegun: false });
    this.discard(upload);
  }

  remove(...ids: string[]): void {
    for (const id of ids) {
      this.running.get(id)?.abort();
      this.requests.delete(id);
      this.giveUp(id);
    }
    this.show(this.items.filter(({ id }) => !ids.includes(id)));
  }

  private stopWaiting(): void {
    this.show(this.items.map((item) => (item.stage.name === 'waiting' ? { ...item, stage: { name: 'idle' } } : item)));
  }

  /** Ends everything that is under way. */
  close(): void {
    this.stopWaiting();
    for (const abort of this.running.values()) abort.abort();
  }

  private requestOf({ id, file }: QueuedFile, form: object) {
    const text = JSON.stringify(form);
    const before = this.requests.get(id);
    if (before?.text === text) return before;
    const request = { text, file: before?.file ?? new File([file.content], file.name), key: newIdempotencyKey() };
    this.requests.set(id, request);
    return request;
  }

  private async run(id: string): Promise<void> {
    const item = this.find(id);
    // Cancelled or removed while it was queued.
    if (item?.stage.name !== 'waiting') return;
    const { file, fields, checked } = item;
    const giveUp = new AbortController();
    this.running.set(id, giveUp);
    const form = wireForm(file, fields);
    const request = this.requestOf(item, form);
    this.change(id, { stage: { name: 'sending', transfer: startTransfer(file.size, this.now()) } });
    const onProgress: ArtifactUpload['onProgress'] = (progress) => {
      const stage = this.find(id)?.stage;
      const transfer = stage?.name === 'sending' ? stage.transfer : startTransfer(file.size, this.now());
      this.change(id, { stage: { name: 'sending', transfer: advance(transfer, progress, this.now()) } });
    };
    try {
      const upload = () =>
        this.send({
          file: request.file,
          form,
          key: request.key,
          signal: giveUp.signal,
          onProgress,
          sha256: checked?.sha256,
          onBegun: (begun) => {
            this.begun.set(id, begun);
            this.change(id, { isBegun: true });
          },
        });
      const artifact = await this.queue.write(upload, giveUp.signal);
      this.running.delete(id);
      this.requests.delete(id);
      this.begun.delete(id);
      // The bytes are not needed any more.
      this.change(id, { stage: { name: 'stored', artifact }, file: { ...file, content: new Blob([]) } });
    } catch (error) {
      // Before the listeners run: one of them may send it again at once.
      this.running.delete(id);
      const stage = this.find(id)?.stage;
      if (giveUp.signal.reason === PAUSED && stage?.name === 'sending')
        this.change(id, { stage: { name: 'paused', transfer: stage.transfer } });
      else this.end(id, error);
    }
  }

  private end(id: string, error: unknown): void {
    const meaning = meaningOf(error);
    if (meaning === 'refused' && !isAbort(error) && !(error instanceof UnconfirmedWrite)) this.requests.delete(id);
    const failed = error instanceof Error ? error : new Error(String(error));
    this.change(id, { stage: isAbort(error) ? { name: 'cancelled' } : { name: 'failed', error: failed } });
    // Signed out: the rest would only fail for the same reason.
    if (meaning !== 'signed-out') return;
    this.stopWaiting();
    this.queue = newRequestQueue();
  }
}
