// The end of a session. When the service answers 401, a dialog asks for a token over the page, so that nothing typed is
// lost. When another tab signs out, this one leaves too and forgets what it has read.
import { useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { useQueryClient } from '@tanstack/react-query';
import { onSession } from '#/api/session.ts';
import { paths } from '#/paths.ts';
import { lazyPart } from '#/ui/late/lazy-dialog.tsx';

// Fetched before it is wanted: when it is, the service may be another version that no longer has this one's files.
const SignInAgain = lazyPart(() => import('./sign-in-again.tsx'), 'SignInAgain');

export function SessionWatch() {
  const [ended, setEnded] = useState(false);
  const navigate = useNavigate();
  const client = useQueryClient();
  useEffect(
    () =>
      onSession((event) => {
        if (event === 'ended') return setEnded(true);
        if (event === 'in') {
          setEnded(false);
          return void client.invalidateQueries();
        }
        client.clear();
        return void navigate(paths.signIn());
      }),
    [client, navigate],
  );
  return <SignInAgain open={ended && { onLeave: () => void navigate(paths.signIn()) }} />;
}
