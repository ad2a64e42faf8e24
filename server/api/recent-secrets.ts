// Answers with a secret that were given a moment ago, for the browser that did not get them: when a kept-alive
// connection dies it sends the order again by itself, or the person does. In memory only, and not for long: at rest
// there are only hashes of secrets.

const REMEMBERED_MS = 60_000;
const MOST = 1_000;

export class RecentSecrets<Answer> {
  readonly #answers = new Map<string, { answer: Answer; until: number }>();

  remember(id: string, answer: Answer): void {
    const [oldest] = this.#answers.keys();
    if (this.#answers.size >= MOST && oldest !== undefined) this.#answers.delete(oldest);
    this.#answers.set(id, { answer, until: performance.now() + REMEMBERED_MS });
  }

  recall(id: string): Answer | undefined {
    const recent = this.#answers.get(id);
    return recent && recent.until > performance.now() ? recent.answer : undefined;
  }
}
