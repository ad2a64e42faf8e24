// Whether devices here run our agent. Those of another service run its own, and our commands do not apply.
import { useQuery } from '@tanstack/react-query';
import { sessionQueries } from '#/api/session.ts';

export const useOwnAgent = (): boolean => useQuery(sessionQueries.current()).data?.Upstream === undefined;
