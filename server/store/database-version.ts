// Which versions of a database can be used.

export interface KnownVersions {
  /** The first one that can be upgraded. */
  oldest: number;
  newest: number;
}

/** The commit whose service upgrades all earlier versions to one that this service knows. */
export const BRIDGE = 'the tag schema-1 (commit 7223ce0e)';

/** Why a database of this version cannot be used, as what follows its name in a sentence; undefined if it can. */
export function versionFault(version: number, { oldest, newest }: KnownVersions): string | undefined {
  if (version > newest)
    return `is of a newer version of Muster (its step ${version}; this one knows ${newest}): start the newer version, or restore a backup from before it.`;
  if (version < oldest)
    return `is of a version of Muster that is too old for this one (its step ${version}; this one needs ${oldest} or later). Nothing was changed. Check out ${BRIDGE}, start and stop the service with it once, then start this version.`;
  return undefined;
}
