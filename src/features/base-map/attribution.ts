// The operator's attribution of the tiles: text in which `[words](address)` is a link if the address is a web page's.
import { webAddress } from '#/lib/web-address.ts';

export interface AttributionPart {
  text: string;
  href?: string | undefined;
}

const LINK = /\[([^\]]+)\]\(([^)\s]+)\)/g;

export function attributionParts(text: string): AttributionPart[] {
  const parts: AttributionPart[] = [];
  let from = 0;
  for (const match of text.matchAll(LINK)) {
    const [whole, words = '', address = ''] = match;
    const href = webAddress(address);
    if (match.index > from) parts.push({ text: text.slice(from, match.index) });
    parts.push(href === undefined ? { text: whole } : { text: words, href });
    from = match.index + whole.length;
  }
  if (from < text.length) parts.push({ text: text.slice(from) });
  return parts;
}
