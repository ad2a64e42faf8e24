// The groups of what failed, kept up with it while devices go on to end.
import { useEffect, useState } from 'react';
import { FailureClient } from './failure-client.ts';
import type { FailedJob } from './failure-client.ts';
import type { FailureGroup } from './grouper.ts';

/** The groups in the order they had before; new ones at the end. */
function inOrderOf(before: readonly FailureGroup[], groups: FailureGroup[]): FailureGroup[] {
  const places = new Map(before.map(({ id }, place) => [id, place]));
  const placeOf = ({ id }: FailureGroup) => places.get(id) ?? before.length;
  return groups.toSorted((one, two) => placeOf(one) - placeOf(two));
}

export interface FailureGroups {
  /** Undefined until they are known for the first time. */
  groups: FailureGroup[] | undefined;
  client: FailureClient;
}

/**
 * `failed` must be the same array as long as nothing in it changes. `isRead`: whether the reader is at the list, so that
 * the groups stay in their order, however their sizes change.
 */
export function useFailureGroups(failed: readonly FailedJob[], isRead: () => boolean): FailureGroups {
  const [client] = useState(() => new FailureClient());
  const [groups, setGroups] = useState<FailureGroup[]>();
  useEffect(() => () => client.close(), [client]);
  useEffect(() => {
    let live = true;
    void client.groups(failed).then((found) => {
      if (live && found) setGroups((before) => (before && isRead() ? inOrderOf(before, found) : found));
    });
    return () => {
      live = false;
    };
  }, [client, failed, isRead]);
  return { groups, client };
}
