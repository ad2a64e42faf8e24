// Shows a notice while the service's disk accepts only deletions, or no changes at all.
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { IconDatabaseExclamation } from '@tabler/icons-react';
import { accountQueries } from '#/api/account.ts';
import { paths } from '#/paths.ts';
import { Link } from '#/ui/url/link.tsx';
import { Notice } from './notice.tsx';

export function DiskWatch() {
  const { data } = useQuery(accountQueries.get());
  const [hidden, setHidden] = useState<string>();
  const state = data?.DiskState;
  if ((state !== 'Full' && state !== 'ReadOnly') || hidden === state) return null;
  return (
    <Notice icon={IconDatabaseExclamation} action={{ label: 'Hide', onClick: () => setHidden(state) }}>
      {state === 'Full' ? (
        <>
          <strong>The service’s disk is full.</strong> You can read everything. Delete{' '}
          <Link to={paths.jobs()}>jobs</Link> or <Link to={paths.artifacts()}>artifacts</Link> to make room.
        </>
      ) : (
        <>
          <strong>The service cannot write to its disk.</strong> You can read everything but change nothing until its
          operator fixes that.
        </>
      )}
    </Notice>
  );
}
