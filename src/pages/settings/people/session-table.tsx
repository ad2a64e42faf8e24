// Browsers that are signed in, with this one marked; the others can be signed out.
import { Button } from '@mantine/core';
import type { Session } from '#/contract/account.ts';
import { tokenMutations } from '#/api/tokens.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { paths } from '#/paths.ts';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { FormError } from '#/ui/page/view.tsx';
import { DataTable, rowName, type Column } from '#/ui/table/table.tsx';
import { Link } from '#/ui/url/link.tsx';

function methodOf({ How, TokenName, Prefix }: Session): string {
  switch (How) {
    case 'Link':
      return 'Sign-in link';
    case 'Provider':
      return 'Identity provider';
    default:
      return Prefix ? `Token ${TokenName || 'without a name'} (${Prefix}…)` : How;
  }
}

/** The person, unless it is the session of a token of the account. */
function PersonOf({ PersonId, PersonName }: Session) {
  if (!PersonId) return <span className="dim">Nobody: a token of the account</span>;
  return (
    <Link to={paths.person(PersonId)}>
      <bdi>{PersonName || PersonId}</bdi>
    </Link>
  );
}

interface SessionTableProps {
  name: string;
  sessions: readonly Session[];
  /** Adds whose each is. */
  hasPeople?: boolean;
}

export function SessionTable({ name, sessions, hasPeople = false }: SessionTableProps) {
  const end = useWrite(tokenMutations.endSession());
  const columns: Column<Session>[] = [
    { header: 'Signed in with', cell: (session) => <span className={rowName}>{methodOf(session)}</span> },
    ...(hasPeople ? [{ header: 'Person', cell: PersonOf, phone: 'wide' } satisfies Column<Session>] : []),
    { header: 'Since', cell: ({ CreatedTime }) => <Timestamp text={CreatedTime} />, phone: 'hide', room: 'medium' },
    { header: 'Last used', cell: ({ LastUsedTime }) => <Timestamp text={LastUsedTime} />, phone: 'second' },
    { header: 'From', cell: ({ Address }) => <span className="mono">{Address || 'Unknown'}</span>, phone: 'end' },
    {
      header: 'Actions',
      tools: true,
      cell: (session) =>
        session.Current ? (
          <span className="dim">This browser</span>
        ) : (
          <Button
            size="xs"
            aria-label={`Sign out ${methodOf(session)}, ${session.Address}`}
            loading={end.isPending && end.variables === session.SessionId}
            onClick={() => end.mutate(session.SessionId)}
          >
            Sign out
          </Button>
        ),
    },
  ];
  return (
    <>
      <FormError error={end.error} />
      <DataTable name={name} columns={columns} rows={sessions} rowKey={({ SessionId }) => SessionId} />
    </>
  );
}
