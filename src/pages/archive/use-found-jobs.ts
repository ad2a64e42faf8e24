// The archived jobs on the page: loaded page by page, or the hits so far of a search that continues.
import { useEffect, useMemo, useState } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { archiveQueries, mergedItems } from '#/api/archive.ts';

/** Jobs that a search finds before it waits for the user to ask for more. */
const FIRST_FINDS = 100;

/** Empty `find` means no search. */
export function useFoundJobs(find: string) {
  const isSearch = find !== '';
  const [wanted, setWanted] = useState({ find, jobs: FIRST_FINDS });
  const list = useInfiniteQuery({ ...archiveQueries.list(), enabled: !isSearch });
  const search = useInfiniteQuery({ ...archiveQueries.search(find), enabled: isSearch });
  const shown = isSearch ? search : list;
  const items = useMemo(() => mergedItems(shown.data?.pages.flatMap(({ Items }) => Items) ?? []), [shown.data]);
  const { hasNextPage, isFetching, error, fetchNextPage } = search;
  const most = wanted.find === find ? wanted.jobs : FIRST_FINDS;
  const isSearching = isSearch && error === null && (isFetching || (hasNextPage && items.length < most));
  useEffect(() => {
    if (isSearching && !isFetching) void fetchNextPage();
  }, [isSearching, isFetching, fetchNextPage]);
  const pages = shown.data?.pages ?? [];
  return {
    isSearch,
    query: shown,
    items,
    total: pages.at(-1)?.Total ?? 0,
    isSearching,
    /** Number of completely searched jobs. */
    searched: pages.reduce((sum, { Searched }) => sum + (Searched?.Jobs ?? 0), 0),
    /** Loads more, if there is more. */
    more:
      !shown.hasNextPage || isSearching
        ? undefined
        : () => (isSearch ? setWanted({ find, jobs: items.length + FIRST_FINDS }) : void list.fetchNextPage()),
  };
}
