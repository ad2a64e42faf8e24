// Recent responses with a secret, for clients that lost them: when a keep-alive connection breaks, the browser or its
// user repeats the request. They are kept only in memory and only briefly; the database stores only hashes of secrets.

const REMEMBERED_MS = 60_000;
const MAX_REMEMBERED = 1_000;

export class RecentSecrets<Answer> {
  readonly #answers = new Map<string, { answer: Answer; until: number }>();

  remember(id: string, answer: Answer): void {
    const [oldest] = this.#answers.keys();
    if (this.#answers.size >= MAX_REMEMBERED && oldest !== undefined) this.#answers.delete(oldest);
    this.#answers.set(id, { answer, until: performance.now() + REMEMBERED_MS });
  }

  recall(id: string): Answer | undefined {
    const recent = this.#answers.get(id);
    return recent && recent.until > performance.now() ? recent.answer : undefined;
  }
}
