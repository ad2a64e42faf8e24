import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import type { ChangeEvent } from '#/contract/changes.ts';
import type { LiveState } from './live.ts';
import { LiveConnection, reconnectDelay, type LiveMessage, type OpenedStream } from './live-connection.ts';

beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'] }));
afterEach(() => mock.timers.reset());

async function settle(): Promise<void> {
  for (let i = 0; i < 30; i++) await new Promise<void>((resolve) => setImmediate(resolve));
}
async function pass(milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= 500) {
    mock.timers.tick(Math.min(500, left));
    await settle();
  }
}

/** A service whose responses the test sets; the test also writes to its streams and breaks them. */
class Service {
  readonly asked: string[] = [];
  readonly open: Pipe[] = [];
  status = 200;
  isReady = true;
  isDown = false;

  readonly answer = async (since: string, signal: AbortSignal): Promise<OpenedStream> => {
    this.asked.push(since);
    if (this.isDown) throw new TypeError('refused');
    const pipe = new Pipe(signal);
    if (this.status === 200) this.open.push(pipe);
    if (this.isReady) pipe.write('event: ready\nid: a.1\ndata: {}\n\n');
    return { status: this.status, isEvents: this.status === 200, chunks: () => pipe.read() };
  };
  get last(): Pipe {
    return this.open.at(-1)!;
  }
  change(id: string, change: ChangeEvent): Promise<void> {
    this.last.write(`event: change\nid: ${id}\ndata: ${JSON.stringify(change)}\n\n`);
    return settle();
  }
}

class Pipe {
  private readonly texts: string[] = [];
  private go = () => {};
  isOver = false;
  constructor(signal: AbortSignal) {
    signal.addEventListener('abort', () => this.cut());
  }
  write(text: string): void {
    this.texts.push(text);
    this.go();
  }
  cut(): void {
    this.isOver = true;
    this.go();
  }
  async *read(): AsyncGenerator<string> {
    while (!this.isOver || this.texts.length > 0) {
      const text = this.texts.shift();
      if (text !== undefined) yield text;
      else await new Promise<void>((resolve) => (this.go = resolve));
    }
  }
}

/** One browser: its tabs share a lock and a channel. */
class Browser {
  readonly tabs: { connection: LiveConnection }[] = [];
  private readonly waiting: { lead: () => Promise<void>; signal: AbortSignal }[] = [];
  private isHeld = false;

  private readonly compete = (lead: () => Promise<void>, signal: AbortSignal) => {
    this.waiting.push({ lead, signal });
    this.grant();
  };
  private grant(): void {
    if (this.isHeld) return;
    const next = this.waiting.shift();
    if (!next) return;
    if (next.signal.aborted) return this.grant();
    this.isHeld = true;
    void next.lead().then(() => {
      this.isHeld = false;
      this.grant();
    });
  }

  tab(service: Service, { locks = true } = {}) {
    const found: string[] = [];
    const seen = {
      state: 'off' as LiveState,
      visible: true,
      heldBack: false,
      signedOut: 0,
      lastResponseTime: 0,
      unanswered: false,
      isAway: false,
    };
    const connection = new LiveConnection({
      open: service.answer,
      compete: locks ? this.compete : undefined,
      post: (message: LiveMessage) => {
        for (const each of this.tabs) if (each.connection !== connection) each.connection.receive({ ...message });
      },
      isVisible: () => seen.visible,
      lastResponseTime: () => seen.lastResponseTime,
      setState: (state) => void (seen.state = state),
      setHeldBack: (now) => void (seen.heldBack = now),
      report: (change) => void found.push(typeof change === 'string' ? change : JSON.stringify(change)),
      answered: () => {},
      unanswered: () => void (seen.unanswered = true),
      whenReachable: async (signal) => {
        while (seen.isAway && !signal.aborted) await new Promise((resolve) => setTimeout(resolve, 100));
      },
      signedOut: () => void seen.signedOut++,
    });
    const made = {
      connection,
      seen,
      /** The reports since the last call. */
      take: () => found.splice(0),
      show: (now: boolean) => {
        seen.visible = now;
        connection.syncVisibility();
        return settle();
      },
    };
    this.tabs.push(made);
    connection.syncVisibility();
    return made;
  }
}

test('changes are reported as they arrive, and the first connection reports everything', async () => {
  const service = new Service();
  const tab = new Browser().tab(service);
  await settle();
  assert.equal(tab.seen.state, 'live');
  assert.deepEqual(tab.take(), ['everything']);
  await service.change('a.2', { Devices: ['d1'], Tunnels: true });
  assert.deepEqual(tab.take(), ['{"Devices":["d1"],"Tunnels":true}']);
});

test('a service without events is requested once', async () => {
  const service = new Service();
  service.status = 404;
  const tab = new Browser().tab(service);
  await pass(200_000);
  await tab.show(false);
  await tab.show(true);
  assert.equal(tab.seen.state, 'off');
  assert.equal(service.asked.length, 1);
});

test('a broken stream resumes where it was without a visible change', async () => {
  const service = new Service();
  const tab = new Browser().tab(service);
  await settle();
  await service.change('a.7', { Tags: true });
  await pass(20_000);
  tab.take();
  service.last.cut();
  await pass(1_000);
  assert.deepEqual(service.asked, ['', 'a.7']);
  assert.equal(tab.seen.state, 'live');
  assert.deepEqual(tab.take(), []);
  await service.change('a.9', { Account: true });
  assert.deepEqual(tab.take(), ['{"Account":true}']);
});

test('no stream is opened while the service is away, and a failed one says that nobody answered', async () => {
  const service = new Service();
  const tab = new Browser().tab(service);
  await pass(20_000);
  service.isDown = true;
  service.last.cut();
  await pass(1_000);
  assert.deepEqual([tab.seen.unanswered, service.asked.length], [true, 2]);
  tab.seen.isAway = true;
  await pass(300_000);
  assert.equal(service.asked.length, 2);
  service.isDown = tab.seen.isAway = false;
  await pass(1_000);
  assert.deepEqual([tab.seen.state, service.asked.length], ['live', 3]);
});

test('an unreachable service is lost at the first failure, and retried with backoff until it is back', async () => {
  const service = new Service();
  const tab = new Browser().tab(service);
  await pass(20_000);
  service.isDown = true;
  service.last.cut();
  await pass(1_000);
  assert.equal(tab.seen.state, 'lost');
  await pass(60_000);
  assert.ok(service.asked.length < 12, `${service.asked.length} attempts`);
  service.isDown = false;
  tab.connection.wake();
  await settle();
  assert.equal(tab.seen.state, 'live');
});

test('a silent stream is given up; comments keep it alive', async () => {
  const service = new Service();
  const tab = new Browser().tab(service);
  await settle();
  for (let i = 0; i < 4; i++) {
    await pass(15_000);
    service.last.write(': alive\n\n');
    await settle();
  }
  assert.equal(service.asked.length, 1);
  await pass(41_500);
  assert.equal(service.asked.length, 2);
  assert.equal(tab.seen.state, 'live');
});

test('every tab detects a proxy that buffers events while other requests are answered', async (t) => {
  // The shortest delay: the stream opens right after the last heartbeat to the other tabs.
  t.mock.method(Math, 'random', () => 0);
  const [service, browser] = [Object.assign(new Service(), { isReady: false }), new Browser()];
  const [tab, other] = [browser.tab(service), browser.tab(service)];
  await pass(6_500);
  assert.equal(tab.seen.heldBack, false);
  tab.seen.lastResponseTime = Number.MAX_SAFE_INTEGER;
  await pass(15_000);
  const later = browser.tab(service);
  assert.deepEqual([tab.seen.heldBack, other.seen.heldBack, later.seen.heldBack], [true, true, true]);
  assert.equal(tab.seen.state, 'off');
  service.isReady = true;
  await pass(10_000);
  assert.deepEqual([tab.seen.heldBack, other.seen.heldBack, later.seen.heldBack], [false, false, false]);
});

test('tabs share one stream; when the leader closes, another tab resumes from its version', async () => {
  const service = new Service();
  const browser = new Browser();
  const first = browser.tab(service);
  await settle();
  const second = browser.tab(service);
  await settle();
  assert.equal(second.seen.state, 'live');
  assert.deepEqual(second.take(), ['everything']);
  await service.change('a.4', { Jobs: ['j1'] });
  assert.deepEqual(second.take(), ['{"Jobs":["j1"]}']);
  await first.show(false);
  assert.deepEqual(service.asked, ['', 'a.4']);
  assert.equal(service.open[0]?.isOver, true);
  await service.change('a.5', { Jobs: 'many' });
  assert.deepEqual(second.take(), ['{"Jobs":"many"}']);
  assert.deepEqual(first.take().slice(2), [], 'a hidden tab hears nothing');
});

test('a tab that is shown again catches up, unless nothing has changed', async () => {
  const service = new Service();
  const browser = new Browser();
  browser.tab(service);
  await settle();
  const second = browser.tab(service);
  await settle();
  second.take();
  await second.show(false);
  await second.show(true);
  assert.deepEqual(second.take(), []);
  await second.show(false);
  await service.change('a.4', { Devices: ['d1'] });
  await second.show(true);
  assert.deepEqual(second.take(), ['everything']);
  assert.equal(service.asked.length, 1);
});

test('a tab polls when its leader falls silent', async () => {
  const service = new Service();
  const browser = new Browser();
  browser.tab(service);
  await settle();
  const second = browser.tab(service);
  await settle();
  browser.tabs.splice(0);
  await pass(41_000);
  assert.equal(second.seen.state, 'lost');
});

test('without locks each tab has its own stream', async () => {
  const service = new Service();
  const browser = new Browser();
  browser.tab(service, { locks: false });
  browser.tab(service, { locks: false });
  await settle();
  assert.equal(service.asked.length, 2);
});

test('a 401 ends the connection, and the next session starts over', async () => {
  const service = new Service();
  const tab = new Browser().tab(service);
  await pass(20_000);
  service.status = 401;
  service.last.cut();
  await pass(2_000);
  assert.equal(tab.seen.signedOut, 1);
  tab.connection.end();
  await pass(60_000);
  assert.equal(service.asked.length, 2);
  assert.equal(tab.seen.state, 'off');
  service.status = 200;
  tab.connection.syncVisibility();
  await settle();
  assert.deepEqual(service.asked, ['', 'a.1', '']);
});

test('after a reset everything may have changed', async () => {
  const service = new Service();
  const tab = new Browser().tab(service);
  await settle();
  tab.take();
  service.last.write('event: reset\nid: b.1\ndata: {}\n\n');
  await settle();
  assert.deepEqual(tab.take(), ['everything']);
});

test('delays grow, are random, and are limited', () => {
  assert.deepEqual(
    [0, 1, 2, 5, 20].map((failures) => reconnectDelay(failures, 0.5)),
    [250, 1_000, 2_000, 16_000, 30_000],
  );
  assert.equal(reconnectDelay(1, 0), 500);
});
