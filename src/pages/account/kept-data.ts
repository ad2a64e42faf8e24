// What this browser keeps for an account, by what a person would call it.

export type KeptKind = 'views' | 'rules' | 'verdicts' | 'history' | 'look' | 'other';

/** The beginnings of their keys, which end in the account's name. */
const OF_ACCOUNT: [kind: KeptKind, names: readonly string[]][] = [
  ['views', ['muster-views', 'muster-columns']],
  ['rules', ['muster-outcome-rules', 'muster-rule-names']],
  ['verdicts', ['muster-verdicts']],
  ['history', ['muster-usage', 'muster-states', 'muster-watched']],
];
/** The same for everybody who uses this browser. */
const OF_BROWSER = ['muster-look', 'muster-log-look', 'mantine-color-scheme-value'];

/** Of what a key holds; undefined where it is none of ours, or another account's. */
export function kindOf(key: string, account: string): KeptKind | undefined {
  if (OF_BROWSER.includes(key)) return 'look';
  const [name = '', ...rest] = key.split(':');
  const whose = rest.join(':');
  if (!name.startsWith('muster-') || (whose !== account && whose !== `${account}:unreadable`)) return undefined;
  return OF_ACCOUNT.find(([, names]) => names.includes(name))?.[0] ?? 'other';
}

export interface KeptPart {
  keys: string[];
  /** As a browser counts: two for each character. */
  bytes: number;
}

/** What is kept of each kind. */
export function keptParts(entries: readonly (readonly [key: string, text: string])[], account: string) {
  const parts = new Map<KeptKind, KeptPart>();
  for (const [key, text] of entries) {
    const kind = kindOf(key, account);
    if (!kind) continue;
    const part = parts.get(kind) ?? { keys: [], bytes: 0 };
    parts.set(kind, { keys: [...part.keys, key], bytes: part.bytes + 2 * (key.length + text.length) });
  }
  return parts;
}
