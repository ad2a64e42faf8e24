// Refetches queries after changes: immediately, but one fetch per query at a time, and no more often than requested.
import type { Query, QueryClient } from '@tanstack/react-query';

/** Least milliseconds between two fetches of a query; after a slow fetch, at least as long as it took. */
const SPACE = 900;

interface Plan {
  /** When the last fetch ended, in milliseconds since the epoch, and how long it took. */
  ended: number;
  took: number;
  isWaiting: boolean;
}

export class Refetcher {
  private readonly client: QueryClient;
  private readonly plans = new WeakMap<Query, Plan>();

  constructor(client: QueryClient) {
    this.client = client;
  }

  /** `space`: least milliseconds between two fetches. A query that nothing shows is only marked as stale. */
  refetch(query: Query, space = SPACE): void {
    query.invalidate();
    const plan = this.plans.get(query) ?? { ended: 0, took: 0, isWaiting: false };
    this.plans.set(query, plan);
    if (plan.isWaiting || !query.isActive()) return;
    plan.isWaiting = true;
    void this.run(query, plan, Math.max(space, plan.took));
  }

  private async run(query: Query, plan: Plan, space: number): Promise<void> {
    // A fetch that started before the change may not include it.
    await query.promise?.catch(() => {});
    const rest = plan.ended + space - Date.now();
    if (rest > 0) await new Promise((resolve) => setTimeout(resolve, rest));
    plan.isWaiting = false;
    const begun = Date.now();
    await this.client.refetchQueries({ predicate: (each) => each === query && each.isActive() });
    plan.ended = Date.now();
    plan.took = plan.ended - begun;
  }
}
