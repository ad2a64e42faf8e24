// The state of the fleet in memory, and what keeping it up to date needs of the page.
import type { FleetIndex } from './fleet-index.ts';

/** The current state of the fleet; a new object at each change. */
export interface Fleet {
  /** `absent`: not needed yet. `ready`: there is an index, however old. */
  state: 'absent' | 'loading' | 'ready' | 'failed';
  /** Progress of the first reading. */
  progress: { read: number; total: number | undefined } | undefined;
  index: FleetIndex | undefined;
  /** What the first reading has so far, with locations: for the map, which draws it until all is read. */
  partial: FleetIndex | undefined;
  /** Start of the reading of this index, in milliseconds since the epoch. */
  at: number | undefined;
  /** Why the latest reading of the listing failed; an older index remains. */
  error: Error | null;
  /** Why the latest reading of the locations failed; older ones remain. */
  placesError: Error | null;
  isReading: boolean;
  /** The service reports what changes: it is never read as a whole again. */
  isFollowed: boolean;
}

/** What the store needs from the page. */
export interface Surroundings {
  isVisible: () => boolean;
  onVisibility: (listener: () => void) => void;
  /** An answer was 401. */
  signedOut: () => void;
  /** Milliseconds until the next reading of all of it, instead of `usual`. */
  pace?: (fleet: Fleet, usual: number) => number;
  /** Whether changes are reported as they happen, and a callback when that begins or ends. */
  isLive?: () => boolean;
  onLive?: (listener: () => void) => void;
}

const NOTHING = {
  progress: undefined,
  index: undefined,
  partial: undefined,
  at: undefined,
  error: null,
  placesError: null,
};
export const NO_FLEET: Fleet = { state: 'absent', isReading: false, isFollowed: false, ...NOTHING };
