// A query of many rows, whose data are drawn when the page has a moment: new data would be drawn at once and in one
// piece, and ten thousand rows would block the page until all of them are done.
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
