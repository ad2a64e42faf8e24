// Decides which requests pass a gateway: the methods and paths of the contract, rebuilt from their validated parts, so
// that a user's token cannot reach anything else of the upstream service.
import type { Endpoint, Group } from '#/contract/endpoint.ts';
import { parse, readQuery } from '../http/implement.ts';
import { invalid } from '../http/problem.ts';

export interface Shape {
  endpoint: Endpoint;
  /** The path and query below the base address. */
  target: string;
}

// Path segments that some servers would read as another path: with a slash or backslash, or dots behind a second encoding.
// oxlint-disable-next-line no-control-regex -- these are refused
const AMBIGUOUS = /[\u0000-\u001f\u007f/\\]|^(\.|%2e)+$/i;

/** Finds the row of a request; undefined if the contract has none. */
export function openShapes(groups: Group[]): (method: string, url: string) => Shape | undefined {
  const rows = groups
    .flatMap((group) => Object.values(group))
    .map((endpoint) => ({ endpoint, parts: endpoint.path.split('/') }))
    // If two rows match, the one with a fixed segment further left applies.
    .toSorted((one, other) => rank(one.parts).localeCompare(rank(other.parts)));

  return (method, url) => {
    const asked = (url.split('?', 1)[0] ?? '').split('/');
    const row = rows.find(
      ({ endpoint, parts }) =>
        endpoint.method === method &&
        parts.length === asked.length &&
        parts.every((part, at) => (part.startsWith(':') ? asked[at] !== '' : part === asked[at])),
    );
    if (!row) return undefined;
    const { endpoint, parts } = row;
    const given = Object.fromEntries(
      parts.flatMap((part, at) => (part.startsWith(':') ? [[part.slice(1), decoded(asked[at] ?? '', part)]] : [])),
    );
    const params = endpoint.params ? parse(endpoint.params, given) : {};
    const target = parts
      .map((part) => (part.startsWith(':') ? encodeURIComponent(String(params[part.slice(1)] ?? '')) : part))
      .join('/');
    const conditions = readQuery(endpoint, url);
    const search = new URLSearchParams(
      Object.entries(conditions).flatMap(([name, value]) =>
        value === undefined ? [] : [[name, value] as [string, string]],
      ),
    );
    return { endpoint, target: search.size > 0 ? `${target}?${search.toString()}` : target };
  };
}

const rank = (parts: string[]) => parts.map((part) => (part.startsWith(':') ? '1' : '0')).join('');

/** The name of a tunnel is free text. It may contain a slash, but no empty or dot segment. */
const isTunnelName = (name: string, text: string) =>
  name === ':tunnel_id' && text.split('/').every((segment) => segment !== '' && !AMBIGUOUS.test(segment));

function decoded(part: string, name: string): string {
  let text: string | undefined;
  try {
    text = decodeURIComponent(part);
  } catch {
    // An incomplete escape is not text.
  }
  if (text !== undefined && (!AMBIGUOUS.test(text) || isTunnelName(name, text))) return text;
  throw invalid([{ field: 'path', message: `holds "${part}", which is not passed on` }]);
}
