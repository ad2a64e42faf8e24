// From an object to its entries in the audit log.
import { Link } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { accountQueries } from '#/api/account.ts';
import { paths } from '#/paths.ts';

/** False where the service has no audit log. */
export function useAuditLink(object: string) {
  const { data } = useQuery(accountQueries.get());
  return data?.Audit === true && <Link to={paths.activity({ object, by: 'anyone' })}>Audit log</Link>;
}
