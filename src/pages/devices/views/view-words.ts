// A view of the device table in words of the URL: its filters, sort, columns, their widths, and the height of the rows.
// `group=north&sort=-lastSeen&cols=name,group,status&density=comfortable`: short enough to be read and sent.
import { filterWords } from '#/features/device-filters/filter-words.ts';
import { clampWidth } from '#/pages/devices/table/column-choice.ts';
import type { ColumnChoice } from '#/pages/devices/table/column-choice.ts';

/** What is drawn of each device. */
export interface Layout {
  /** Ids of the columns, in their order. */
  columns: readonly string[];
  /** Pixels by id, where they are not the usual ones. */
  widths: Readonly<Record<string, number>>;
  density: ColumnChoice['density'];
}

const LAYOUT = ['cols', 'widths', 'density'] as const;
/** Names the saved view that the table started from. */
export const VIEW = 'view';
const MOST_COLUMNS = 64;

const plainWord = (id: string) => encodeURIComponent(id);
const wordOf = (text: string) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
};

/** What a URL says about the layout; what it leaves open is the reader's own. Widths go with columns. */
export function readLayout(params: URLSearchParams): Partial<Layout> {
  const layout: Partial<Layout> = {};
  const ids = (params.get('cols') ?? '').split(',').map(wordOf).filter(Boolean);
  if (ids.length > 0) {
    // Without its name a row has no link.
    layout.columns = [...new Set(ids.includes('name') ? ids : ['name', ...ids])].slice(0, MOST_COLUMNS);
    layout.widths = Object.fromEntries(
      (params.get('widths') ?? '').split(',').flatMap((pair) => {
        const [, id = '', width] = /^(.+):(\d{1,5})$/.exec(pair) ?? [];
        return id && width ? [[wordOf(id), clampWidth(Number(width))]] : [];
      }),
    );
  }
  const density = params.get('density');
  if (density === 'compact' || density === 'comfortable') layout.density = density;
  return layout;
}

/** The URL with this layout in it and no other. */
export function writeLayout(
  params: URLSearchParams,
  { columns, widths = {}, density }: Partial<Layout>,
): URLSearchParams {
  const next = new URLSearchParams([...params].filter(([word]) => !LAYOUT.some((each) => each === word)));
  if (columns) {
    next.set('cols', columns.map(plainWord).join(','));
    const sizes = columns.flatMap((id) => (id in widths ? [`${plainWord(id)}:${widths[id]}`] : []));
    if (sizes.length > 0) next.set('widths', sizes.join(','));
  }
  if (density) next.set('density', density);
  return next;
}

/** A query string to be read: commas and colons need no escape in one. */
export const printSearch = (params: URLSearchParams): string =>
  params.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');

/** All of a view, always in the same words: to keep, to compare and to share. */
export function wordsOfView(params: URLSearchParams, layout: Partial<Layout>): string {
  const words = new URLSearchParams(filterWords(params));
  const sort = params.get('sort');
  if (sort && /^-?[A-Za-z]\w{0,63}$/.test(sort)) words.set('sort', sort);
  return printSearch(writeLayout(words, layout));
}

/** The same words, whatever else was in the text. */
export function cleanWords(text: string): string {
  const params = new URLSearchParams(text);
  return wordsOfView(params, readLayout(params));
}

/** Whether two views show the same, as far as this service tells the columns: `told`. */
export function isSameView(one: string, other: string, told: ReadonlySet<string>): boolean {
  const shown = (text: string) => {
    const params = new URLSearchParams(text);
    const { columns, ...layout } = readLayout(params);
    return wordsOfView(params, { ...layout, ...(columns && { columns: columns.filter((id) => told.has(id)) }) });
  };
  return one === other || shown(one) === shown(other);
}
