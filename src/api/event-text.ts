// Server-sent events out of the text of a stream (HTML standard, 9.2.6), as far as our service uses them: each line ends
// with LF or CRLF.

export interface ServerEvent {
  event: string;
  id: string;
  data: string;
}

/** Takes the text piece by piece; each call returns the events that are complete. Comments are none. */
export function eventReader(): (text: string) => ServerEvent[] {
  let rest = '';
  let fields: Partial<ServerEvent> = {};
  return (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    const found: ServerEvent[] = [];
    for (const raw of lines) {
      const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
      if (line === '') {
        if (fields.event || fields.data !== undefined) found.push({ event: 'message', id: '', data: '', ...fields });
        fields = {};
        continue;
      }
      const [, name, value = ''] = /^(event|id|data)(?:: ?(.*))?$/.exec(line) ?? [];
      if (name === 'data') fields.data = fields.data === undefined ? value : `${fields.data}\n${value}`;
      else if (name === 'event' || name === 'id') fields[name] = value;
    }
    return found;
  };
}
