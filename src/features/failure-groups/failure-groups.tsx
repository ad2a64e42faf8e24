// Why devices failed: in groups by their errors, the largest first, each of which opens.
import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { counted, devicesText, formatCount } from '#/lib/format.ts';
import { Status } from '#/ui/controls/status.tsx';
import { Skeleton } from '#/ui/page/view.tsx';
import { FailureClient, type FailedJob } from './failure-client.ts';
import { GroupRow } from './group-row.tsx';
import type { FailureGroup } from './shown-group.ts';
import classes from './failure-groups.module.css';

/** Ids of a group by which its former place is looked for. */
const MOST_IDS = 100;

/** The groups in the order they had before; new ones at the end. */
function inOrderOf(before: readonly FailureGroup[], groups: FailureGroup[]): FailureGroup[] {
  const indexes = new Map(before.map(({ id }, index) => [id, index]));
  const indexOf = ({ id, otherIds }: FailureGroup) =>
    Math.min(...[id, ...otherIds.slice(0, MOST_IDS)].map((each) => indexes.get(each) ?? before.length));
  return groups.toSorted((one, two) => indexOf(one) - indexOf(two));
}

/**
 * Undefined groups until they are known for the first time. `isRead`: whether the reader is at the list, so that the
 * groups stay in their order, however their sizes change.
 */
function useGroups(failed: readonly FailedJob[], isRead: () => boolean) {
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

/** Groups that are shown before somebody asks for all. */
const FIRST = 8;

interface FailureGroupsProps {
  /** Those whose output was read. The same array as long as nothing in it changes. */
  failed: readonly FailedJob[];
  /** The id of the group that is open. */
  opened: string | undefined;
  onToggle: (group: FailureGroup, isOpen: boolean) => void;
  details: (group: FailureGroup, client: FailureClient) => ReactNode;
}

export function FailureGroups({ failed, opened, onToggle, details }: FailureGroupsProps) {
  const [all, setAll] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  const isAtList = useCallback(() => list.current?.matches(':hover, :focus-within') ?? false, []);
  const { groups, client } = useGroups(failed, isAtList);
  const isRead = groups !== undefined && failed.length > 0;
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
        <Skeleton name="what they printed" rows={3} />
      )}
      {shown.length < ordered.length && (
        <button type="button" className={classes.more} onClick={() => setAll(true)}>
          Show all {formatCount(ordered.length)} groups
        </button>
      )}
    </section>
  );
}
