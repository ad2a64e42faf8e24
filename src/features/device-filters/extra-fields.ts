// Fields of devices that lists do not contain, and that are read once a table shows or sorts by them: the version of an
// artifact, and facts.
import { deviceVersionQueries } from '#/api/device-versions.ts';
import { factQueries } from '#/api/facts.ts';
import { factOf } from './fact-words.ts';
import { VERSION_OF } from './version-words.ts';

export const isExtraField = (field: string): boolean => field.startsWith(VERSION_OF) || factOf(field) !== undefined;

/** The values of such a field by DeviceId. */
export const extraFieldQuery = (field: string) => {
  const fact = factOf(field);
  return fact === undefined
    ? deviceVersionQueries.ofArtifact(field.slice(VERSION_OF.length))
    : factQueries.values(fact);
};
