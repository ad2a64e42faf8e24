// Reports facts to a service that takes them: at the start, when one changes, and once a day.
import { createHash } from 'node:crypto';
import type { Facts } from '#/contract/agent-link.ts';
import { reportText } from '#/contract/fact-values.ts';
import type { FactReport } from './facts.ts';

const CHECKED_EVERY_MS = 5 * 60_000;
const REPORTED_EVERY_MS = 24 * 3_600_000;
/** The service shows fewer; thousands would not fit into one message. */
const MOST_PROBLEMS = 50;

export interface ReporterOptions {
  collect: () => Promise<FactReport>;
  send: (message: Facts) => void;
  checkedEveryMs?: number | undefined;
}

export class FactsReporter {
  readonly #options: ReporterOptions;
  /** The digest of the report that the service has; undefined while no service that takes facts is connected. */
  #known: string | undefined;
  #reportedAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #checking = false;

  constructor(options: ReporterOptions) {
    this.#options = options;
  }

  /** `known` is the digest of the report that the service has; undefined if it takes no facts. */
  connected(known: string | undefined): void {
    this.#known = known;
    if (known === undefined) return;
    void this.#check();
  }

  /** Nothing is found out while nobody can be told. */
  lost(): void {
    this.#known = undefined;
    clearTimeout(this.#timer);
  }

  async #check(): Promise<void> {
    if (this.#checking) return;
    this.#checking = true;
    clearTimeout(this.#timer);
    try {
      const { facts, problems } = await this.#options.collect();
      this.#report({ facts, problems: problems.slice(0, MOST_PROBLEMS) });
    } finally {
      this.#checking = false;
    }
    if (this.#known === undefined) return;
    this.#timer = setTimeout(() => void this.#check(), this.#options.checkedEveryMs ?? CHECKED_EVERY_MS);
    this.#timer.unref();
  }

  #report({ facts, problems }: FactReport): void {
    // The connection may have been lost meanwhile.
    if (this.#known === undefined) return;
    const digest = createHash('sha256').update(reportText(facts, problems)).digest('hex');
    const isDue = performance.now() - this.#reportedAt >= REPORTED_EVERY_MS;
    if (digest === this.#known && !isDue) return;
    this.#known = digest;
    this.#reportedAt = performance.now();
    this.#options.send({ type: 'facts', facts, problems });
  }
}
