// Creates the devices of a list: a few at a time, each step of each row on its own, so that what failed can be done
// again without doing the rest twice. Holds the new keys, and nothing else in the page does.
import { formatCount } from '#/lib/format.ts';
import type { Device, DeviceChange, DeviceDraft, NewDevice, Position } from '#/contract/devices.ts';
import { errorLine, hasStatus, isMissing, isSignedOut } from '#/api/api-error.ts';
import { NotSentError, RequestQueue } from '#/lib/request-queue.ts';
import type { waitFor } from '#/lib/pace.ts';
import { meaningOf } from '#/lib/retry.ts';
import { createListeners } from '#/lib/store.ts';
import { detailsOf, draftOf, type DeviceToAdd } from './row-check.ts';
import { limitText, newEntry, type Ending, type RunEntry, type RunView, type Step } from './run-entry.ts';
import type { DraftRow } from './rows.ts';
import { TagIds, type TagApi } from '#/api/tag-ids.ts';

/** The calls a run makes, one request each (`named`: as many as the listing has pages). */
export interface RunApi extends TagApi {
  create: (body: DeviceDraft) => Promise<NewDevice>;
  update: (id: string, change: DeviceChange) => Promise<void>;
  locate: (id: string, position: Position) => Promise<void>;
  attach: (id: string, tag: string) => Promise<void>;
  rekey: (id: string) => Promise<NewDevice>;
  named: (name: string) => Promise<Device[]>;
  wait: typeof waitFor;
}

const AT_ONCE = 4;
/** The page is notified of changes this often at most, in milliseconds. */
const PUBLISH_INTERVAL = 200;

export class AddRun {
  private readonly api: RunApi;
  private readonly tags: TagIds;
  private readonly list: RunEntry[] = [];
  /** Ids that are no row's: those of the fleet before. Undefined where it could not be read. */
  private before: ReadonlySet<string> | undefined;
  private readonly claimed = new Set<string>();
  private readonly turns = new Map<string, Promise<void>>();
  private ending: Ending | undefined;
  private running = false;
  private halt = new AbortController();
  private queue: RequestQueue;
  private pausing = false;
  private view: RunView = { entries: [], running: false, pausing: false, ending: undefined };
  private readonly changes = createListeners();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(api: RunApi) {
    this.api = api;
    this.queue = this.newQueue();
    this.tags = new TagIds({
      tags: () => this.queue.read(api.tags),
      createTag: (name) => this.queue.write(() => api.createTag(name)),
    });
  }

  private newQueue(): RequestQueue {
    this.halt = new AbortController();
    return new RequestQueue({
      atOnce: AT_ONCE,
      signal: this.halt.signal,
      wait: this.api.wait,
      onPause: (length) => {
        this.pausing = length > 0;
        this.publishSoon();
      },
    });
  }

  readonly get = (): RunView => this.view;

  readonly subscribe = this.changes.subscribe;

  private change(index: number, change: Partial<RunEntry>): void {
    const entry = this.list[index];
    if (entry) this.list[index] = { ...entry, ...change };
    this.publishSoon();
  }

  private readonly publishSoon = (): void => {
    this.timer ??= setTimeout(this.publish, PUBLISH_INTERVAL);
  };

  private readonly publish = (): void => {
    clearTimeout(this.timer);
    this.timer = undefined;
    const { running, pausing, ending } = this;
    this.view = { entries: [...this.list], running, pausing, ending };
    this.changes.notify();
  };

  /** Adds rows and creates them. `before`: the ids of the fleet as it is now. */
  add(rows: { row: DraftRow; device: DeviceToAdd }[], before: ReadonlySet<string> | undefined): Promise<void> {
    this.before = before;
    for (const { row, device } of rows) this.list.push(newEntry(row, device));
    return this.goOn();
  }

  /** Takes out the rows that are no devices, to be edited: those that wait and those that were refused. */
  takeBack(): DraftRow[] {
    if (this.running) return [];
    const devices = this.list.filter(({ id, unanswered }) => id !== undefined || unanswered);
    const rows = this.list.filter(({ id, unanswered }) => id === undefined && !unanswered).map(({ row }) => row);
    this.list.splice(0, this.list.length, ...devices);
    this.ending = undefined;
    this.publish();
    return rows;
  }

  stop(): void {
    if (this.running) this.end({ reason: 'stopped' });
  }

  goOn(): Promise<void> {
    return this.work(({ state }) => state === 'waiting');
  }

  /** Does again exactly what is missing: of one row, or of all that failed. */
  retry(row?: DraftRow): Promise<void> {
    return this.work(
      (entry) => entry.state === 'failed' && entry.missing.length > 0 && (row === undefined || entry.row === row),
    );
  }

  rekey(row?: DraftRow): Promise<void> {
    return this.work(
      (entry) => entry.keyLost && (row === undefined || entry.row === row),
      (index) => this.newKey(index),
    );
  }

  private end(ending: Ending): void {
    // The first reason is the one; what others meet after it follows from it.
    this.ending ??= ending;
    this.halt.abort();
    this.publishSoon();
  }

  private async work(
    isWanted: (entry: RunEntry) => boolean,
    job = (index: number) => this.perform(index),
  ): Promise<void> {
    if (this.running) return;
    const indexes = [...this.list.keys()].filter(
      (index) => isWanted(this.list[index]!) && this.list[index]!.state !== 'working',
    );
    if (indexes.length === 0) return this.publish();
    this.ending = undefined;
    this.queue = this.newQueue();
    this.running = true;
    this.publish();
    await Promise.allSettled(indexes.map((index) => this.queue.add(() => job(index))));
    this.running = false;
    this.publish();
  }

  private async perform(index: number): Promise<void> {
    const { faults } = this.list[index]!;
    this.change(index, { state: 'working', faults: faults.filter(({ step }) => step === 'key') });
    if (this.list[index]!.missing.includes('create')) await this.inTurn(index);
    const id = this.list[index]!.id;
    if (id !== undefined) {
      await this.step(index, 'details', ({ device }) => this.queue.write(() => this.api.update(id, detailsOf(device))));
      await this.step(index, 'location', ({ device: { position } }) =>
        position ? this.queue.write(() => this.api.locate(id, position)) : Promise.resolve(),
      );
      await this.step(index, 'tags', async ({ tags }) => {
        for (const name of tags) {
          const tag = await this.tags.idOf(name);
          await this.queue.write(() => this.api.attach(id, tag));
          this.change(index, { tags: this.list[index]!.tags.filter((each) => each !== name) });
        }
      });
    }
    const { missing, faults: found } = this.list[index]!;
    // Without a fault it was only interrupted: it waits.
    this.change(index, { state: found.length > 0 ? 'failed' : missing.length > 0 ? 'waiting' : 'done' });
  }

  /** Does a step unless it is done. A failed one leaves the others to be done all the same. */
  private async step(index: number, step: Step, work: (entry: RunEntry) => Promise<void>): Promise<void> {
    if (!this.list[index]!.missing.includes(step)) return;
    try {
      await work(this.list[index]!);
      this.change(index, { missing: this.list[index]!.missing.filter((each) => each !== step) });
    } catch (error) {
      this.fault(index, step, error);
    }
  }

  private fault(index: number, step: Step, error: unknown): void {
    if (isSignedOut(error)) this.end({ reason: 'signed-out' });
    if (error instanceof NotSentError || isSignedOut(error)) return;
    const faults = [...this.list[index]!.faults.filter((each) => each.step !== step), { step, text: errorLine(error) }];
    this.change(index, { faults });
  }

  /** Rows of one name and group are created one after the other: else one could take the other's device for its own. */
  private async inTurn(index: number): Promise<void> {
    const { name, group } = this.list[index]!.device;
    const key = JSON.stringify([name, group]);
    const turn = (this.turns.get(key) ?? Promise.resolve()).then(() => this.create(index));
    this.turns.set(key, turn);
    await turn;
    if (this.turns.get(key) === turn) this.turns.delete(key);
  }

  private async create(index: number): Promise<void> {
    // It may have waited for its turn while the run was ended.
    if (this.halt.signal.aborted) return;
    const { device, unanswered } = this.list[index]!;
    try {
      if (unanswered && (await this.find(index))) return;
      const { DeviceId: id, DeviceKey: key } = await this.queue.write(() => this.api.create(draftOf(device)));
      this.claimed.add(id);
      this.created(index, { id, key, unanswered: false });
    } catch (error) {
      if (hasStatus(error, 403)) this.end({ reason: 'licence', text: limitText(error) });
      // 409: it was created before, and the answer with its key got lost.
      else if (meaningOf(error) === 'unknown' || hasStatus(error, 409)) await this.lookAfterLoss(index, error);
      else this.fault(index, 'create', error);
    }
  }

  private created(index: number, change: Partial<RunEntry>): void {
    this.change(index, { ...change, missing: this.list[index]!.missing.filter((each) => each !== 'create') });
  }

  private async lookAfterLoss(index: number, loss: unknown): Promise<void> {
    this.change(index, { unanswered: true });
    try {
      if (await this.find(index)) return;
      const text = `${errorLine(loss)} It is not in the device list now. Retry checks the list again first.`;
      this.fault(index, 'create', new Error(text));
    } catch (error) {
      const text = 'No answer came, so it may exist. Retry checks the device list first.';
      this.fault(index, 'create', error instanceof NotSentError ? new Error(text) : error);
    }
  }

  /** Looks for the device of a create without an answer. It is found without its key, which only that answer had. */
  private async find(index: number): Promise<boolean> {
    const { device } = this.list[index]!;
    const named = await this.queue.read(() => this.api.named(device.name));
    const mine = named.filter(
      ({ DeviceId, DeviceGroup }) =>
        DeviceGroup === device.group && !this.claimed.has(DeviceId) && !this.before?.has(DeviceId),
    );
    const [found] = mine;
    if (!found) return false;
    // Several such rows may have lost their answers: then any of the devices will do, since nothing else is on them yet.
    const lost = this.list.filter(
      ({ unanswered, id, device: { name, group } }) =>
        unanswered && id === undefined && name === device.name && group === device.group,
    );
    if (this.before === undefined || mine.length > lost.length)
      throw new Error(
        `No answer came, and ${mine.length === 1 ? 'a device of this name is' : `${formatCount(mine.length)} devices of this name are`} in the list that may be it (${mine.map(({ DeviceId }) => DeviceId).join(', ')}). Delete what is too much there, then retry.`,
      );
    this.claimed.add(found.DeviceId);
    this.created(index, { id: found.DeviceId, keyLost: true, unanswered: false });
    return true;
  }

  private async newKey(index: number): Promise<void> {
    const { id, faults, state } = this.list[index]!;
    if (id === undefined) return;
    this.change(index, { state: 'working', faults: faults.filter(({ step }) => step !== 'key') });
    try {
      const { DeviceKey: key } = await this.queue.write(() => this.api.rekey(id));
      this.change(index, { key, keyLost: false });
    } catch (error) {
      const text = 'This service cannot create a new key: delete the device and add it again.';
      this.fault(index, 'key', isMissing(error) ? new Error(text) : error);
    }
    const left = this.list[index]!;
    this.change(index, { state: left.missing.length > 0 ? state : 'done' });
  }
}
