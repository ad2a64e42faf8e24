// Why devices failed: expandable groups by error, the largest first.
import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { counted, devicesText, formatCount } from '#/lib/format.ts';
import { Status } from '#/ui/controls/status.tsx';
import { Skeleton } from '#/ui/page/view.tsx';
import { FailureClient, type FailedJob } from './failure-client.ts';
import { GroupRow } from './group-row.tsx';
import type { FailureGroup } from './shown-group.ts';
import classes from './failure-groups.module.css';

/** How many ids of a group are used to find its previous place. */
const MAX_IDS = 100;

/** The groups in their previous order; new ones at the end. */
function inOrderOf(before: readonly FailureGroup[], groups: FailureGroup[]): FailureGroup[] {
  const indexes = new Map(before.map(({ id }, index) => [id, index]));
  const indexOf = ({ id, otherIds }: FailureGroup) =>
    Math.min(...[id, ...otherIds.slice(0, MAX_IDS)].map((each) => indexes.get(each) ?? before.length));
  return groups.toSorted((one, two) => indexOf(one) - indexOf(two));
}

/**
 * The groups; undefined until first computed. `isRead`: whether the user is reading the list, which then keeps its order
 * however the sizes change.
 */
function useGroups(failed: readonly FailedJob[], isRead: () => boolean, onFound: FailureGroupsProps['onFound']) {
  const [client] = useState(() => new FailureClient());
  const [groups, setGroups] = useState<FailureGroup[]>();
  useEffect(() => () => client.close(), [client]);
  useEffect(() => {
    let live = true;
    void client.groups(failed).then((found) => {
      if (!live || !found) return;
      setGroups((before) => (before && isRead() ? inOrderOf(before, found) : found));
      onFound?.(found);
    });
    return () => {
      live = false;
    };
  }, [client, failed, isRead, onFound]);
  return { groups, client };
}

/** Groups shown before "Show all". */
const FIRST = 8;

interface FailureGroupsProps {
  /** The failures whose output has been read. The same array as long as nothing in it changes. */
  failed: readonly FailedJob[];
  /** The id of the open group. */
  opened: string | undefined;
  onToggle: (group: FailureGroup, isOpen: boolean) => void;
  details: (group: FailureGroup, client: FailureClient) => ReactNode;
  /** The same function as long as what it needs is the same. */
  onFound?: (groups: readonly FailureGroup[]) => void;
}

export function FailureGroups({ failed, opened, onToggle, details, onFound }: FailureGroupsProps) {
  const [all, setAll] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const isAtList = useCallback(() => list.current?.matches(':hover, :focus-within') ?? false, []);
  const { groups, client } = useGroups(failed, isAtList, onFound);
  // The first ones may be those of no failure, computed before any was read.
  const isRead = groups !== undefined && groups.length > 0 && failed.length > 0;
  const isOpened = ({ id, otherIds }: FailureGroup) => id === opened || otherIds.some((other) => other === opened);
  const ordered = groups ?? [];
  const shown = all ? ordered : ordered.filter((group, index) => index < FIRST || isOpened(group));
  return (
    <section aria-labelledby="failures" className={classes.panel}>
      <header>
        <h2 id="failures">Why it failed</h2>
        <Status className="dim tabular">
          {isRead && `${devicesText(failed.length)} in ${counted(groups.length, 'group')}`}
        </Status>
      </header>
      {isRead ? (
        <ul ref={list} className={classes.groups}>
          {shown.map((group) => (
            <li key={group.id} data-opened={isOpened(group) || undefined}>
              <GroupRow
                group={group}
                total={failed.length}
                opened={isOpened(group)}
                onToggle={() => onToggle(group, isOpened(group))}
              />
              {isOpened(group) && details(group, client)}
            </li>
          ))}
        </ul>
      ) : (
        <Skeleton name="what they printed" rows={1} />
      )}
      {shown.length < ordered.length && (
        <button type="button" className={classes.more} onClick={() => setAll(true)}>
          Show all {formatCount(ordered.length)} groups
        </button>
      )}
    </section>
  );
}
