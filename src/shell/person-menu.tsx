// Who is signed in, with a menu. A plain button until it is first used.
import { useQuery } from '@tanstack/react-query';
import { IconChevronUp, IconUserCircle } from '@tabler/icons-react';
import { useOffered } from '#/api/capabilities.ts';
import { useMe } from '#/api/people.ts';
import { sessionQueries } from '#/api/session.ts';
import { lazyMenu } from '#/ui/late/lazy-dialog.tsx';

const PersonMenuItems = lazyMenu(() => import('./person-menu-items.tsx'), 'PersonMenuItems');

/** The person's name or e-mail address, or the name of the token that the browser signed in with. */
function useOwnName(): string {
  const hasPeople = useOffered('people');
  const me = useMe();
  const email = useQuery(sessionQueries.current()).data?.UserEmail ?? '';
  if (!me) return hasPeople === false ? email : '';
  return me.PersonId === undefined && me.TokenId !== undefined
    ? `Token ${me.Name || 'without a name'}`
    : me.Name || me.Email;
}

export function PersonMenu({ onGo }: { onGo: () => void }) {
  const name = useOwnName();
  const button = {
    className: 'frame-link frame-person row dim',
    title: name,
    'aria-haspopup': 'menu',
    children: (
      <>
        <IconUserCircle size={18} stroke={1.6} aria-hidden />
        <span className="visually-hidden">Signed in as </span>
        <bdi className="truncate">{name || '\u00a0'}</bdi>
        <IconChevronUp size={14} stroke={1.6} aria-hidden />
      </>
    ),
  } as const;
  return <PersonMenuItems button={button} onGo={onGo} />;
}
