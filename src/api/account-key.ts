// Under which key this browser keeps something of whoever is signed in.
import { useQuery } from '@tanstack/react-query';
import { sessionQueries } from '#/api/session.ts';

export function useAccountKey(what: string): string {
  const { data: session } = useQuery(sessionQueries.current());
  return `${what}:${session?.UserEmail ?? ''}`;
}
