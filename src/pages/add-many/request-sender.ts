// Sends the requests of a run. A request that the service puts off is sent again after the pause it asked for, nothing else
// is, and the end of the run ends all pauses.
import { hasStatus, isBusy, mayHaveActed } from './run-faults.ts';

/** How often a request is sent again when the service says "later", and how long to wait where it does not say. */
const MOST_TRIES = 8;
const PAUSE = 1_000;
/** How often a read without an answer is repeated. */
const MOST_READS = 3;

/** The run was ended before the request was sent. */
export class Stopped extends Error {}

interface Surroundings {
  sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** A pause began or is over. */
  onPause: () => void;
  onSignedOut: () => void;
}

export class RequestSender {
  private readonly around: Surroundings;
  private halt = new AbortController();
  private pause: Promise<void> | undefined;
  private isSignedOut = false;

  constructor(around: Surroundings) {
    this.around = around;
  }

  get isHalted(): boolean {
    return this.halt.signal.aborted;
  }

  get isPausing(): boolean {
    return this.pause !== undefined;
  }

  begin(): void {
    this.halt = new AbortController();
    this.isSignedOut = false;
  }

  /** Ends pauses. What was sent already is awaited, and what belongs to it may still be sent. */
  end(): void {
    this.halt.abort();
  }

  async send<Answer>(request: () => Promise<Answer>): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      if (this.pause) {
        await this.pause;
        if (this.isHalted) throw new Stopped();
      }
      if (this.isSignedOut) throw new Stopped();
      try {
        return await request();
      } catch (error) {
        if (hasStatus(error, 401)) {
          this.isSignedOut = true;
          this.around.onSignedOut();
        }
        if (!isBusy(error) || tries === MOST_TRIES) throw error;
        this.rest((error.retryAfter ?? 0) * 1_000 || PAUSE);
      }
    }
  }

  /** A read may be repeated: the network that lost an answer may need a moment. */
  async read<Answer>(request: () => Promise<Answer>): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.send(request);
      } catch (error) {
        if (!mayHaveActed(error) || tries === MOST_READS) throw error;
        await this.around.sleep(PAUSE * tries, this.halt.signal);
      }
    }
  }

  /** Everybody rests: the service asked for it, whoever it told. */
  private rest(milliseconds: number): void {
    if (this.pause) return;
    const done = () => {
      this.pause = undefined;
      this.around.onPause();
    };
    this.pause = this.around.sleep(milliseconds, this.halt.signal).then(done, done);
    this.around.onPause();
  }
}
