// Shows on every page that the service's disk accepts no more, or only deletions: otherwise each change would fail by
// itself.
import { useState } from 'react';
import { Link } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { IconDatabaseExclamation } from '@tabler/icons-react';
import { accountQueries } from '#/api/account.ts';
import { paths } from '#/paths.ts';
import classes from './shell.module.css';

export function DiskWatch() {
  const { data } = useQuery(accountQueries.get());
  const [hidden, setHidden] = useState<string>();
  const state = data?.DiskState;
  const shown = (state === 'Full' || state === 'ReadOnly') && hidden !== state;
  return (
    <div role="status" className={classes.away} data-shown={shown}>
      {shown && (
        <>
          <IconDatabaseExclamation size={18} stroke={1.6} aria-hidden />
          {state === 'Full' ? (
            <span>
              <strong>The disk of the service is full.</strong> Everything can be read. Delete{' '}
              <Link to={paths.jobs()}>jobs</Link> or <Link to={paths.artifacts()}>artifacts</Link> to make room.
            </span>
          ) : (
            <span>
              <strong>The service cannot write to its disk.</strong> Everything can be read, nothing can be changed
              until its operator has seen to that.
            </span>
          )}
          <button type="button" onClick={() => setHidden(state)}>
            Hide
          </button>
        </>
      )}
    </div>
  );
}
