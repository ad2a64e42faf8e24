// The memory that bodies of requests hold while they arrive: of the whole process, and fair between those who send. Whoever
// takes more than there is loses no more than their own requests.
import { Problem } from './problem.ts';

const MB = 1024 * 1024;
/** For all bodies together. */
const MOST_BYTES = 64 * MB;

export interface BodyShare {
  /** Notes that so many bytes more are held. */
  grow(bytes: number): void;
  /** The bytes are no longer held. */
  end(): void;
}

/** An account, or the address of somebody unknown. */
type Sender = number | string | undefined;

interface Held extends BodyShare {
  sender: Sender;
  bytes: number;
  refuse: () => void;
}

export interface BodyMemory {
  /** `refuse` is called when the body cannot be held any longer; its share has ended then. */
  open(sender: Sender, refuse: () => void): BodyShare;
}

/** `detail` of a refusal says what became of the bytes. */
export const tooManyBodies = (detail = 'Nothing was done. Send the request again in some seconds.'): Problem =>
  new Problem(503, 'Too many large requests arrive at once', detail, { headers: { 'Retry-After': '5' } });

export function openBodyMemory(most: number): BodyMemory {
  const shares = new Set<Held>();
  let total = 0;

  /** Whose turn it is to give way: the largest share, the newest of equal ones, of the sender who holds the most. */
  const next = (): Held | undefined => {
    if (total <= most) return undefined;
    const sums = new Map<Sender, number>();
    for (const { sender, bytes } of shares) sums.set(sender, (sums.get(sender) ?? 0) + bytes);
    const largest = Math.max(...sums.values());
    let found: Held | undefined;
    for (const share of shares)
      if (sums.get(share.sender) === largest && share.bytes >= (found?.bytes ?? 0)) found = share;
    return found;
  };

  return {
    open: (sender, refuse) => {
      const share: Held = {
        sender,
        bytes: 0,
        refuse: () => {
          share.end();
          refuse();
        },
        grow: (bytes) => {
          if (!shares.has(share)) return;
          share.bytes += bytes;
          total += bytes;
          for (let other = next(); other; other = next()) other.refuse();
        },
        end: () => {
          if (shares.delete(share)) total -= share.bytes;
        },
      };
      shares.add(share);
      return share;
    },
  };
}

/** Of this process. */
export const bodyMemory = openBodyMemory(MOST_BYTES);
