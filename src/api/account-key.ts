// Under which key this browser keeps something of whoever is signed in.
import { useQuery } from '@tanstack/react-query';
import { queryClient } from '#/api/query-client.ts';
import { sessionQueries } from '#/api/session.ts';

export function useAccountKey(what: string): string {
  const { data: session } = useQuery(sessionQueries.current());
  return `${what}:${session?.UserEmail ?? ''}`;
}

/** The same outside of components; undefined while it is not known who is signed in. */
export function accountKey(what: string): string | undefined {
  const email = queryClient.getQueryData(sessionQueries.current().queryKey)?.UserEmail;
  return email ? `${what}:${email}` : undefined;
}
