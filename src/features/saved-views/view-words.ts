// A view of the device table as a query string: its filters, sort, columns, their widths, and the row height.
// `group=north&sort=-lastSeen&cols=name,group,status&density=comfortable`: short enough to be read and sent.
import { filterPart } from '#/features/device-filters/filter-words.ts';
import { sortPart } from '#/ui/table/sort.ts';
import { urlSchema, type UrlPart } from '#/ui/url/url-schema.ts';

export interface Layout {
  /** Ids of the columns, in their order. */
  columns: readonly string[];
  /** Pixels by id, where they are not the usual ones. */
  widths: Readonly<Record<string, number>>;
  density: 'compact' | 'comfortable';
}

const MOST_COLUMNS = 64;
export const LEAST_WIDTH = 60;
export const MOST_WIDTH = 800;

export const clampWidth = (width: number): number => Math.round(Math.min(MOST_WIDTH, Math.max(LEAST_WIDTH, width)));

const wordOf = (text: string) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
};

/** The layout in a URL. What it leaves out is the user's own; widths go with columns. */
const layoutPart: UrlPart<Partial<Layout>> = {
  read: (params) => {
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
  },
  write: (params, _, { columns, widths = {}, density }) => {
    for (const word of ['cols', 'widths', 'density']) params.delete(word);
    if (columns) {
      params.set('cols', columns.map(encodeURIComponent).join(','));
      const sizes = columns.flatMap((id) => (id in widths ? [`${encodeURIComponent(id)}:${widths[id]}`] : []));
      if (sizes.length > 0) params.set('widths', sizes.join(','));
    }
    if (density) params.set('density', density);
  },
};

/** A readable query string: commas and colons need no escape. */
export const printSearch = (params: URLSearchParams): string =>
  params.toString().replaceAll('%2C', ',').replaceAll('%3A', ':');

export const viewParts = { filter: filterPart, sort: sortPart(), layout: layoutPart };
/** A view in its canonical form: to store, compare and share. */
export const viewUrl = urlSchema(viewParts, printSearch);

export const cleanWords = (text: string): string => viewUrl.change('', viewUrl.read(text));

/** Whether two views show the same, in the columns that this service fills: `available`. */
export function isSameView(one: string, other: string, available: ReadonlySet<string>): boolean {
  const shown = (text: string) => {
    const { layout, ...view } = viewUrl.read(text);
    const columns = layout.columns?.filter((id) => available.has(id));
    return viewUrl.change('', { ...view, layout: { ...layout, ...(columns && { columns }) } });
  };
  return one === other || shown(one) === shown(other);
}
