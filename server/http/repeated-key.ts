// Finds a repeated key in a JSON object. JSON.parse uses the last, other readers the first (RFC 8259, section 4): a
// proxy or a log could have seen another request than the one that runs.

/** The first such key of valid JSON; undefined if all keys are unique. */
export function repeatedKey(json: string): string | undefined {
  /** The keys of each open object; undefined for an open array. */
  const open: (Set<string> | undefined)[] = [];
  let isKeyNext = false;
  for (let at = 0; at < json.length; at += 1) {
    switch (json[at]) {
      case '{':
        open.push(new Set());
        isKeyNext = true;
        break;
      case '[':
        open.push(undefined);
        isKeyNext = false;
        break;
      case '}':
      case ']':
        open.pop();
        isKeyNext = false;
        break;
      case ',':
        isKeyNext = open.at(-1) !== undefined;
        break;
      case '"': {
        const end = endOfString(json, at);
        if (isKeyNext) {
          const written = json.slice(at, end + 1);
          const key = written.includes('\\') ? String(JSON.parse(written)) : written.slice(1, -1);
          const keys = open.at(-1);
          if (keys?.has(key)) return key;
          keys?.add(key);
          isKeyNext = false;
        }
        at = end;
        break;
      }
      default:
    }
  }
  return undefined;
}

/** The quote that ends the string at `start`: the first with an even number of backslashes before it. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let before = end;
    while (json[before - 1] === '\\') before -= 1;
    if ((end - before) % 2 === 0) return end;
  }
  return json.length;
}
