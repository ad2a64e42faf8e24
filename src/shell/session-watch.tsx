// The end of a session. When the service says 401, a dialog asks for a token over the page, so that nothing typed is
// lost. When another tab signs out, this one leaves too and forgets what it has read.
import { Suspense, lazy, useEffect, useState } from 'react';
import { useNavigate } from 'react-router';
import { useQueryClient } from '@tanstack/react-query';
import { onSession } from '#/api/session.ts';
import { paths } from '#/paths.ts';
import { usePreload } from '#/ui/late/use-preload.ts';

// Fetched before it is wanted: when it is, the service may be another version that no longer has this one's files.
const loadSignInAgain = () => import('./sign-in-again.tsx');
const SignInAgain = lazy(async () => ({ default: (await loadSignInAgain()).SignInAgain }));

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
  const here = usePreload(loadSignInAgain, ended);
  return ended && here ? (
    <Suspense>
      <SignInAgain onLeave={() => void navigate(paths.signIn())} />
    </Suspense>
  ) : null;
}
