// The output of a program as a log: it renders only the rows in view, follows the end until the reader scrolls up, and never
// moves what is being read when more arrives. It does not know where the output comes from.
import { useEffect, useState, useRef, type ClipboardEvent } from 'react';
import * as z from 'zod/mini';
import { copyText } from '#/ui/controls/copy-text.ts';
import { counted, formatCount } from '#/lib/format.ts';
import type { LogList, LogRun, LogStream } from './log-items.ts';
import { rowOfLine } from './lines.ts';
import { logUrl, markText, markedBy, printMark, type LineMark } from './line-marks.ts';
import { LogRows } from './log-rows.tsx';
import { LogToolbar } from './log-toolbar.tsx';
import { gathered, plainLog, plainParts } from './plain.ts';
import { readRows } from './read-rows.ts';
import { useLogLink, useLogReader } from './use-log-reader.ts';
import { saveFile } from '#/lib/save-file.ts';
import { json, stored } from '#/lib/stored.ts';
import { useStore } from '#/ui/state/use-store.ts';
import { isFree } from '#/lib/free-key.ts';
import { useShortcuts, type Shortcut } from '#/ui/controls/shortcuts.ts';
import { useKeyDown } from '#/ui/controls/use-key-down.ts';
import { Status } from '#/ui/controls/status.tsx';
import classes from './log-view.module.css';

/** Milliseconds for which a message is shown. */
const MESSAGE_TIME = 2_500;

const storedLook = stored(
  'muster-log-look',
  { wrap: globalThis.innerWidth < 640, numbers: true },
  json(z.object({ wrap: z.boolean(), numbers: z.boolean() })),
);

interface LogViewProps {
  /** The name of the region: "Output of camera-7". */
  name: string;
  streams: LogStream[];
  /** The order in which they arrived, if it is known. */
  order?: readonly LogRun[] | undefined;
  /** Whether more may arrive. */
  live: boolean;
  /** How much has been fetched so far: "3 of 10 MB". */
  fetched?: string | undefined;
  /** The name of the file that Download saves. */
  fileName: string;
}

/** A sentence that is shown for a moment. */
function useMessage(): [string, (text: string) => void] {
  const [message, setMessage] = useState('');
  useEffect(() => {
    if (message === '') return;
    const timer = setTimeout(() => setMessage(''), MESSAGE_TIME);
    return () => clearTimeout(timer);
  }, [message]);
  return [message, setMessage];
}

function markedParts({ blocks }: LogList, { stream: name, from, to }: LineMark): Iterable<string> {
  const index = blocks.find(({ stream }) => stream.name === name)?.index;
  if (!index) return [];
  return plainParts(index, rowOfLine(index, from) ?? index.rows, rowOfLine(index, to + 1) ?? index.rows);
}

export function LogView({ name, streams, order, live, fetched, fileName }: LogViewProps) {
  const link = useLogLink(streams);
  const settings = useStore(storedLook);
  const [raw, setRaw] = useState(false);
  const [message, setMessage] = useMessage();
  const look = { ...settings, raw };
  const reader = useLogReader(streams, { order, live, look, link });
  const { list, lines, search, linked, step, goTo, setFollow, scroller, seen } = reader;
  const { shown, mark } = link;
  const skipped = list.blocks.reduce((sum, block) => sum + block.skipped, 0);
  const rows = readRows(list, reader.first, reader.last);

  const markLines = (next: LineMark | undefined) => {
    const line = next && printMark(next, streams);
    reader.stayAt(line);
    link.set({ line });
    if (!next) return;
    const address = new URL(globalThis.location.href);
    address.search = logUrl.change(address.search, { line });
    void copyText(address.href).then((done) =>
      setMessage(done ? `Link to ${markText(next).toLowerCase()} copied` : 'The link is in the address bar'),
    );
  };
  const copy = async () => {
    const parts = await gathered(mark ? markedParts(list, mark) : plainLog(list));
    setMessage((await copyText(parts.join(''))) ? 'Copied' : 'The browser blocked copying');
  };
  const download = async () => {
    saveFile(
      raw ? fileName.replace(/\.log$/, '.raw.log') : fileName,
      await gathered(plainLog(list)),
      'text/plain;charset=utf-8',
    );
  };
  /** Select all and copy means the full log, not just the rendered rows. */
  const copySelected = (event: ClipboardEvent) => {
    const selection = globalThis.getSelection();
    const canvas = scroller.current?.querySelector('[data-canvas]');
    const all = canvas && selection?.containsNode(canvas, false);
    if (!all && !(selection?.isCollapsed && mark)) return;
    event.preventDefault();
    void copy();
  };
  const { view, searchBox } = useLogKeys({
    n: () => step(1),
    N: () => step(-1),
    g: () => goTo(list.headings.length > 0 ? 1 : 0),
    G: () => setFollow(true),
    w: () => storedLook.set({ ...settings, wrap: !settings.wrap }),
    f: () => setFollow(!reader.follow),
    l: () => {
      const row = rows.find(({ item, number }) => item >= seen && number > 0);
      if (row) markLines({ stream: row.block.stream.name, from: row.number, to: row.number });
    },
  });

  const hasText = streams.some(({ pieces }) => pieces.some((piece) => piece !== ''));
  return (
    <section ref={view} aria-label={name} className={classes.view}>
      {hasText && (
        <LogToolbar
          names={link.names}
          shown={shown}
          onShown={(log) => link.set({ log })}
          search={search}
          searchRef={searchBox}
          onStep={step}
          onLeave={() => scroller.current?.focus()}
          about={fetched ?? counted(lines, 'line')}
          message={message}
          look={settings}
          onLook={storedLook.set}
          raw={raw}
          onRaw={setRaw}
          copied={mark && linked !== undefined ? markText(mark).toLowerCase() : 'the output'}
          onCopy={() => void copy()}
          onDownload={() => void download()}
        />
      )}
      {skipped > 0 && (
        <p className={classes.note}>
          The first {formatCount(skipped)} lines are too many to show here. Download has all of them.
        </p>
      )}
      <Status>
        {list.count === 0 ? (
          <span className={classes.nothing}>
            {live ? 'No output yet' : 'No output'}
            {shown !== undefined && hasText && ` on ${shown}`}
          </span>
        ) : (
          mark &&
          linked === undefined && (
            <span className={classes.note}>
              {markText(mark)} {mark.to > mark.from ? 'are' : 'is'} not in this output{live ? ' yet' : ''}.
            </span>
          )
        )}
      </Status>
      {list.count > 0 && (
        <LogRows
          {...{ name, reader, rows, look, mark, live }}
          onLine={(stream, line, shift) => markLines(markedBy({ stream, line, shift }, mark))}
          onCopy={copySelected}
        />
      )}
    </section>
  );
}

/** The action of each key; "/" focuses the search. */
type LogKeys = Record<'n' | 'N' | 'g' | 'G' | 'w' | 'f' | 'l', () => void>;

const SHORTCUTS: readonly Shortcut[] = [
  [['/'], 'Search the log'],
  [['n'], 'Next match'],
  [['N'], 'Previous match'],
  [['g'], 'Go to the beginning'],
  [['G'], 'Go to the end and follow'],
  [['f'], 'Follow the end on or off'],
  [['w'], 'Wrap lines on or off'],
  [['l'], 'Link to the line at the top'],
];

function useLogKeys(keys: LogKeys) {
  useShortcuts('Log', SHORTCUTS);
  const view = useRef<HTMLElement>(null);
  const searchBox = useRef<HTMLInputElement>(null);
  useKeyDown((event) => {
    const { target, key } = event;
    const within = target instanceof Node && (view.current?.contains(target) ?? false);
    if (within && key.toLowerCase() === 'f' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      searchBox.current?.select();
      return;
    }
    // A list beside the log has keys of its own.
    if (!(within || target === document.body) || !isFree(event)) return;
    if (key !== '/' && !(key in keys)) return;
    event.preventDefault();
    if (key === '/') searchBox.current?.select();
    else keys[key as keyof LogKeys]();
  });
  return { view, searchBox };
}
