// The sessions and tokens of a person.
import { useQuery } from '@tanstack/react-query';
import { useOffered } from '#/api/capabilities.ts';
import { tokenQueries } from '#/api/tokens.ts';

export function useSessionsOf(personId: string) {
  const isOffered = useOffered('sessions') === true;
  return useQuery({
    ...tokenQueries.sessions(),
    enabled: isOffered,
    select: (all) => all.filter(({ PersonId }) => PersonId === personId),
  });
}

export function useTokensOf(personId: string) {
  const isOffered = useOffered('tokens') === true;
  return useQuery({
    ...tokenQueries.tokens(),
    enabled: isOffered,
    select: (all) => all.filter(({ PersonId }) => PersonId === personId),
  });
}

/** How many there are; none until they are read. */
export interface Held {
  sessions: number;
  tokens: number;
}

export const useHeld = (personId: string): Held => ({
  sessions: useSessionsOf(personId).data?.length ?? 0,
  tokens: useTokensOf(personId).data?.length ?? 0,
});
