// The link from an object to its entries in the audit log.
import { useOffered } from '#/api/capabilities.ts';
import { paths } from '#/paths.ts';
import { Link } from '#/ui/url/link.tsx';

/** False if the service has no audit log. */
export function useAuditLink(object: string) {
  return useOffered('audit') === true && <Link to={paths.activity({ object, by: 'anyone' })}>Audit log</Link>;
}
