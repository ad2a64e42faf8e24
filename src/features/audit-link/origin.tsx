// Who created an object and who changed it last. A single person knows, so nothing is shown or read for them.
import { useQuery } from '@tanstack/react-query';
import { auditQueries } from '#/api/audit.ts';
import { useOffered } from '#/api/capabilities.ts';
import { useMe } from '#/api/people.ts';
import type { Origin } from '#/contract/audit.ts';
import { actorText } from '#/features/audit-link/actor-text.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { paths } from '#/paths.ts';
import { Link } from '#/ui/url/link.tsx';
import classes from './origin.module.css';

function useOrigin(object: string): Origin {
  const hasAudit = useOffered('audit') === true;
  const hasOthers = useMe()?.HasOthers === true;
  return useQuery({ ...auditQueries.origin(object), enabled: hasAudit && hasOthers }).data ?? {};
}

const By = ({ deed }: { deed: NonNullable<Origin['Created']> }) => (
  <>
    by <bdi>{actorText(deed)}</bdi>
  </>
);

/** "Created by Ada Lovelace, 3d ago · last changed by Token CI, 2h ago"; belongs where it moves nothing when it appears. */
export function OriginLine({ object }: { object: string }) {
  const { Created, Changed } = useOrigin(object);
  if (!Created && !Changed) return null;
  const changes = paths.activity({ object });
  return (
    <p className={classes.origin}>
      {Created && (
        <>
          {Changed ? 'Created' : <Link to={changes}>Created</Link>} <By deed={Created} />,{' '}
          <Timestamp text={Created.Time} />
        </>
      )}
      {Created && Changed && ' · '}
      {Changed && (
        <>
          <Link to={changes}>{Created ? 'last changed' : 'Last changed'}</Link> <By deed={Changed} />,{' '}
          <Timestamp text={Changed.Time} />
        </>
      )}
    </p>
  );
}

/** " by Ada Lovelace", after a time that is shown anyway. */
export function CreatedBy({ object }: { object: string }) {
  const { Created } = useOrigin(object);
  return (
    Created && (
      <span>
        {' '}
        <By deed={Created} />
      </span>
    )
  );
}
