// What the Availability page shows, as the URL has it, and the same as a file.
import type { Availability } from '#/contract/history.ts';
import { readAvailability, type AvailabilityChoice } from '#/api/history.ts';
import { csvText } from '#/contract/csv.ts';
import { datedName, saveFile } from '#/lib/save-file.ts';
import { oneOf, urlSchema } from '#/ui/url/url-schema.ts';

export const BY = [
  { value: 'device', label: 'Devices' },
  { value: 'site', label: 'Sites' },
  { value: 'group', label: 'Groups' },
] as const;
export const AVAILABLE_WITHIN = [
  { value: '24', label: '24 h' },
  { value: '168', label: '7 days' },
  { value: '720', label: '30 days' },
] as const;
export const SORTS = [
  { value: 'offline', label: 'Longest Offline' },
  { value: 'changes', label: 'Most changes' },
] as const;

export const availabilityUrl = urlSchema({
  of: oneOf(['device', 'site', 'group'], 'device'),
  hours: oneOf(['24', '168', '720'], '24'),
  sort: oneOf(['offline', 'changes'], 'offline'),
});
type AvailabilityView = typeof availabilityUrl.defaults;

export const availabilityChoice = ({ of, hours, sort }: AvailabilityView): AvailabilityChoice => ({
  by: of,
  hours,
  sort,
});

type Seconds = Pick<Availability, 'OnlineSeconds' | 'OfflineSeconds'>;

/** How much of the known time was Online, from 0 to 1; undefined where nothing is known. */
export const shareOf = ({ OnlineSeconds, OfflineSeconds }: Seconds): number | undefined =>
  OnlineSeconds + OfflineSeconds > 0 ? OnlineSeconds / (OnlineSeconds + OfflineSeconds) : undefined;

const COLUMNS = ['Key', 'Name', 'Devices', 'Changes', 'OnlineSeconds', 'OfflineSeconds', 'UnknownSeconds'] as const;

export async function saveAvailability(view: AvailabilityView): Promise<void> {
  const rows = await readAvailability(availabilityChoice(view));
  saveFile(
    datedName(`availability-${view.of}`),
    csvText([COLUMNS, ...rows.map((row) => COLUMNS.map((column) => String(row[column])))]),
  );
}
