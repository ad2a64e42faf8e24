// Validates a row cell by cell with the contract's schemas, and builds what would be sent for it.
import { readListCell } from '#/contract/csv.ts';
import {
  deviceChange,
  deviceDraft,
  position,
  type DeviceChange,
  type DeviceDraft,
  type Position,
} from '#/contract/devices.ts';
import { fold } from '#/contract/fold.ts';
import { issueText } from '#/contract/issue-text.ts';
import { tagEndpoints } from '#/contract/tags.ts';
import { hiddenText } from '#/lib/glyphs.ts';
import { readDegrees } from '#/lib/coordinates.ts';
import { COLUMNS, type Cells, type ColumnName, type DraftRow } from './rows.ts';

export interface DeviceToAdd {
  name: string;
  group: string;
  customer: string;
  site: string;
  position: Position | undefined;
  tags: string[];
}

export const draftOf = ({ name, group }: DeviceToAdd): DeviceDraft => ({ DeviceName: name, DeviceGroup: group });

/** The details that are set after the creation. */
export const detailsOf = ({ customer, site }: DeviceToAdd): DeviceChange => ({
  ...(customer ? { CustomerName: customer } : {}),
  ...(site ? { CustomerSite: site } : {}),
});

/** The columns whose values several devices have. */
export const SHARED = ['group', 'customer', 'site', 'tags'] as const;
export type SharedColumn = (typeof SHARED)[number];

export type CellTexts = Partial<Record<ColumnName, string>>;

const FIELDS = new Map(
  Object.entries<ColumnName>({
    DeviceName: 'name',
    DeviceGroup: 'group',
    CustomerName: 'customer',
    CustomerSite: 'site',
    Lat: 'lat',
    Lng: 'lng',
  }),
);

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** A name as people compare it: without differences of case, spaces and Unicode's forms. */
export const foldName = (name: string): string => fold(name.trim().replaceAll(/\s+/g, ' '));

type Issues = Parameters<typeof issueText>[0][];

function addIssues(errors: CellTexts, issues: Issues | undefined): void {
  for (const issue of issues ?? []) {
    const column = FIELDS.get(String(issue.path[0]));
    if (column) errors[column] ??= sentence(issueText(issue));
  }
}

/** Requires both coordinates or none. */
function checkLocation({ lat, lng }: Cells, errors: CellTexts, warnings: CellTexts): Position | undefined {
  if (!lat.trim() && !lng.trim()) return undefined;
  const given = { Lat: lat.trim() ? readDegrees(lat) : 0, Lng: lng.trim() ? readDegrees(lng) : 0 };
  const { data, error } = position.safeParse(given);
  addIssues(errors, error?.issues);
  if (!lat.trim()) errors.lat = 'Missing: enter both or neither';
  if (!lng.trim()) errors.lng = 'Missing: enter both or neither';
  if (!data || errors.lat || errors.lng) return undefined;
  if (data.Lat !== 0 || data.Lng !== 0) return data;
  warnings.lat = '0, 0 counts as no location';
  return undefined;
}

function checkTags(tags: string[], errors: CellTexts): void {
  for (const tag of tags) {
    const issue = tagEndpoints.create.params.safeParse({ tag_name: tag }).error?.issues[0];
    if (issue) errors.tags ??= `The tag "${tag.length > 24 ? `${tag.slice(0, 24)}…` : tag}" ${issueText(issue)}`;
  }
}

function check({ cells, existing }: DraftRow) {
  const errors: CellTexts = {};
  const warnings: CellTexts = {};
  const [name, group, customer, site] = [cells.name, cells.group, cells.customer, cells.site].map((text) =>
    text.trim(),
  ) as [string, string, string, string];
  addIssues(errors, deviceDraft.safeParse({ DeviceName: name, DeviceGroup: group }).error?.issues);
  if (customer || site)
    addIssues(errors, deviceChange.safeParse({ CustomerName: customer, CustomerSite: site }).error?.issues);
  for (const column of COLUMNS) {
    const hidden = hiddenText(cells[column]);
    if (hidden) warnings[column] = hidden;
  }
  const tags = readListCell(cells.tags);
  checkTags(tags, errors);
  const device = { name, group, customer, site, position: checkLocation(cells, errors, warnings), tags };
  // Values of an existing device that the list lacks are not changed.
  if (existing) for (const column of COLUMNS) if (!existing.columns.has(column)) delete errors[column];
  return {
    errors,
    /** Whether the row is left out because of errors. */
    isFaulty: Object.keys(errors).length > 0,
    warnings,
    device,
    folded: foldName(name),
    /** What other devices may have too, by column, with its folded form. */
    shared: SHARED.flatMap((column) =>
      (column === 'tags' ? tags : [device[column]])
        .filter(Boolean)
        .map((text) => ({ column, text, folded: foldName(text) })),
    ),
  };
}

type RowCheck = ReturnType<typeof check>;
const known = new WeakMap<DraftRow, RowCheck>();

/** The errors of a single row; conflicts with other names are part of the plan. */
export function checkRow(row: DraftRow): RowCheck {
  const before = known.get(row);
  if (before) return before;
  const made = check(row);
  known.set(row, made);
  return made;
}

export const hasError = (row: DraftRow): boolean => checkRow(row).isFaulty;

/** Checks all rows, one per step, so that later lookups are cached. */
export function* checkSteps(rows: readonly DraftRow[]): Generator<void, void> {
  for (const row of rows) {
    checkRow(row);
    yield;
  }
}
