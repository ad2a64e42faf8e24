// Keys of devices that were told a moment ago, for the browser that never heard: when a kept-alive connection dies it sends
// a create again by itself, and is to get the answer that got lost. In memory only, and not for long: at rest there are
// no keys, only their hashes.
import type { NewDevice } from '#/contract/devices.ts';

const KEPT_MS = 60_000;
const MOST = 1_000;

export class ToldKeys {
  readonly #told = new Map<string, { answer: NewDevice; until: number }>();

  tell(answer: NewDevice): void {
    const [oldest] = this.#told.keys();
    if (this.#told.size >= MOST && oldest !== undefined) this.#told.delete(oldest);
    this.#told.set(answer.DeviceId, { answer, until: performance.now() + KEPT_MS });
  }

  tellAgain(deviceId: string): NewDevice | undefined {
    const told = this.#told.get(deviceId);
    return told && told.until > performance.now() ? told.answer : undefined;
  }
}
