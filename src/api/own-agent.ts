// Whether devices here run our agent. In front of another service they run that one's, and our commands lead nowhere.
import { useQuery } from '@tanstack/react-query';
import { sessionQueries } from '#/api/session.ts';

export const useOwnAgent = (): boolean => useQuery(sessionQueries.current()).data?.Upstream === undefined;
