// The key of this device, which the service may replace: the new one is on disk before it is used.
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { describeFault, writeDurably } from './durable.ts';

const NOT_STORED =
  'Its agent was started with DEVICE_KEY or --key, and would be started with the old key again: start it with --key-file FILE, or without a key after its first start.';

export class DeviceKey {
  #value: string;
  readonly #files: readonly string[];

  /** `files`: where it is stored; the one that the next start reads is the last. None if the next start gets it from elsewhere. */
  constructor(value: string, files: readonly string[] = []) {
    this.#value = value;
    this.#files = files;
  }

  get value(): string {
    return this.#value;
  }

  /** Why it cannot be replaced; '' if it can. */
  get unable(): string {
    if (this.#files.length === 0) return NOT_STORED;
    try {
      for (const file of this.#files) accessSync(path.dirname(file), constants.W_OK);
      return '';
    } catch (error) {
      return `Its agent cannot store a key: ${(error as Error).message}`.slice(0, 500);
    }
  }

  /** Stores another key, and uses it from then on. Throws if that cannot be stored: then the old one stays in use. */
  replace(key: string): void {
    if (key === this.#value) return;
    if (this.unable !== '') throw new Error(this.unable);
    const written: string[] = [];
    try {
      for (const file of this.#files) {
        writeDurably(file, `${key}\n`);
        written.push(file);
      }
    } catch (error) {
      for (const file of written) writeDurably(file, `${this.#value}\n`);
      throw new Error(describeFault(error, path.dirname(this.#files[written.length] ?? '')), { cause: error });
    }
    this.#value = key;
  }
}
