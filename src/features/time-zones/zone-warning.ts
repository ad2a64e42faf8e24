// What a person should know about the time zones that the service reads windows with.
import type { ZoneData } from '#/contract/rollouts.ts';

/** "60 minutes late" */
const shiftText = (minutes: number): string => `${Math.abs(minutes)} minutes ${minutes > 0 ? 'late' : 'early'}`;

/** What follows from newer data of the service's machine for windows in this zone, and what to do. */
export function zoneWarning(own: string, { Zone, Version, Minutes }: ZoneData['Outdated'][number]): string {
  const remedy = `${Math.abs(Minutes)} minutes ${Minutes > 0 ? 'earlier' : 'later'}`;
  return (
    `windows in ${Zone} begin ${shiftText(Minutes)}: the service’s Node.js has time zones of version ${own}, its ` +
    `machine ${Version}. Update Node.js, or Muster where it brought Node.js along; until then set them ${remedy}.`
  );
}
