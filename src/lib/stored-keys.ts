// The keys of localStorage, and how much is stored under each kind of them, as the Account page lists it.
import { OF_BROWSER, allStored, clearStored } from './stored.ts';

export type StoredKind = 'views' | 'rules' | 'look' | 'other';

/** Each ends in the account's name. Renaming a key loses what browsers have stored under it. */
const OF_ACCOUNT = {
  'muster-views': 'views',
  'muster-columns': 'views',
  'muster-outcome-rules': 'rules',
  'muster-recent': 'other',
  'muster-first-steps': 'other',
  'muster-stale-days': 'other',
  'muster-submitted': 'other',
} as const satisfies Record<string, StoredKind>;

export type StoredKey = keyof typeof OF_ACCOUNT | keyof typeof OF_BROWSER;

interface StoredPart {
  keys: string[];
  /** As browsers count them: two for each character. */
  bytes: number;
}

/** What is stored of each kind for this account and for all accounts. `all`: the text of `allStored`. */
export function storedParts(all: string, account: string): Map<StoredKind, StoredPart> {
  const parts = new Map<StoredKind, StoredPart>();
  const ofAccount = new Map<string, StoredKind>(Object.entries(OF_ACCOUNT));
  const ofBrowser = new Map<string, StoredKind | undefined>(Object.entries(OF_BROWSER));
  for (const [fullKey, text] of JSON.parse(all) as [string, string][]) {
    const [key = '', ...owner] = fullKey.replace(/:unreadable$/, '').split(':');
    const kind = owner.length === 0 ? ofBrowser.get(key) : owner.join(':') === account && ofAccount.get(key);
    if (!kind) continue;
    const part = parts.get(kind) ?? { keys: [], bytes: 0 };
    parts.set(kind, { keys: [...part.keys, fullKey], bytes: part.bytes + 2 * (fullKey.length + text.length) });
  }
  return parts;
}

/** Keys of earlier versions, for what the service stores now. */
const FORMER_KEYS = ['muster-usage', 'muster-states', 'muster-watched', 'muster-rule-names', 'muster-verdicts'];

/** Removes what earlier versions stored and nothing reads now. */
export function removeFormer(): void {
  const keys = (JSON.parse(allStored.get()) as [key: string, text: string][]).map(([key]) => key);
  clearStored(keys.filter((key) => FORMER_KEYS.some((former) => key.startsWith(`${former}:`))));
}
