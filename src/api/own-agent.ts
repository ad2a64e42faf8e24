// Whether devices run our agent. Those of an upstream service run its agent, and our commands do not apply to them.
import { useQuery } from '@tanstack/react-query';
import { sessionQueries } from '#/api/session.ts';

export const useOwnAgent = (): boolean => useQuery(sessionQueries.current()).data?.Upstream === undefined;
