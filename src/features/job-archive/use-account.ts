// Whose archive it is: each account that signs in here has one of its own in this browser.
import { useQuery } from '@tanstack/react-query';
import { sessionQueries } from '#/api/session.ts';

export const useAccount = (): string => useQuery(sessionQueries.current()).data?.UserEmail ?? '';
