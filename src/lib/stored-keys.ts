// Which keys of localStorage are used, and how much is stored under them, by what Settings call it.
import { OF_BROWSER, allStored, clearStored } from './stored.ts';

export type StoredKind = 'views' | 'rules' | 'look' | 'other';

/** These end in the account's name. Browsers hold data under them: a renamed key loses it. */
const OF_ACCOUNT = {
  'muster-views': 'views',
  'muster-columns': 'views',
  'muster-outcome-rules': 'rules',
  'muster-recent': 'other',
  'muster-first-steps': 'other',
  'muster-stale-days': 'other',
  'muster-tunnel-age': 'other',
  'muster-failures-seen': 'other',
} as const satisfies Record<string, StoredKind>;

export type StoredKey = keyof typeof OF_ACCOUNT | keyof typeof OF_BROWSER;

interface StoredPart {
  keys: string[];
  /** As a browser counts: two for each character. */
  bytes: number;
}

/** What is stored of each kind for this account and for everybody; `all`: the text of `allStored`. */
export function storedParts(all: string, account: string): Map<StoredKind, StoredPart> {
  const parts = new Map<StoredKind, StoredPart>();
  const ofAccount = new Map<string, StoredKind>(Object.entries(OF_ACCOUNT));
  const ofBrowser = new Map<string, StoredKind | undefined>(Object.entries(OF_BROWSER));
  for (const [whole, text] of JSON.parse(all) as [string, string][]) {
    const [key = '', ...owner] = whole.replace(/:unreadable$/, '').split(':');
    const kind = owner.length === 0 ? ofBrowser.get(key) : owner.join(':') === account && ofAccount.get(key);
    if (!kind) continue;
    const part = parts.get(kind) ?? { keys: [], bytes: 0 };
    parts.set(kind, { keys: [...part.keys, whole], bytes: part.bytes + 2 * (whole.length + text.length) });
  }
  return parts;
}

/** Keys that earlier versions used, for what the service remembers now. */
const FORMER_KEYS = [
  'muster-usage',
  'muster-states',
  'muster-watched',
  'muster-rule-names',
  'muster-verdicts',
  'muster-submitted',
];

/** Removes what earlier versions stored and nothing reads any more. */
export function removeFormer(): void {
  const keys = (JSON.parse(allStored.get()) as [key: string, text: string][]).map(([key]) => key);
  clearStored(keys.filter((key) => FORMER_KEYS.some((former) => key.startsWith(`${former}:`))));
}
