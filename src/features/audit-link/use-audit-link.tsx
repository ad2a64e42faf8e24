// From an object to its entries in the audit log.
import { useQuery } from '@tanstack/react-query';
import { accountQueries } from '#/api/account.ts';
import { paths } from '#/paths.ts';
import { Link } from '#/ui/url/link.tsx';

/** False where the service has no audit log. */
export function useAuditLink(object: string) {
  const { data } = useQuery(accountQueries.get());
  return data?.Audit === true && <Link to={paths.activity({ object, by: 'anyone' })}>Audit log</Link>;
}
