// A query whose data renders at low priority: rendering ten thousand new rows at once would block the page.
import { useDeferredValue } from 'react';

interface Query<Data> {
  data: Data | undefined;
  error: Error | null;
  isFetching: boolean;
  refetch: () => unknown;
  dataUpdatedAt: number;
}

export function useDeferredQuery<Data>({ data, error, isFetching, refetch, dataUpdatedAt }: Query<Data>): Query<Data> {
  return { data: useDeferredValue(data), error, isFetching, refetch, dataUpdatedAt };
}
