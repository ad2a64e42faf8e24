// How one signs in: password, second factor and identity provider; and what an Admin requires of everybody.
import { useQuery } from '@tanstack/react-query';
import { peopleQueries } from '#/api/people.ts';
import { sessionQueries } from '#/api/session.ts';
import type { Me } from '#/contract/people.ts';
import { Page } from '#/ui/page/page.tsx';
import { View } from '#/ui/page/view.tsx';
import { DeviceKeys } from './device-keys.tsx';
import { ForEveryone } from './for-everyone.tsx';
import { JoinProvider } from './join-provider.tsx';
import { OwnPassword } from './own-password.tsx';
import { OwnSecondFactor } from './own-second-factor.tsx';

export function OwnSignInPage() {
  const me = useQuery(peopleQueries.me());
  return (
    <Page title="Sign-in" lead={me.data ? me.data.Email || `With the token ${me.data.Name}` : '\u00a0'}>
      <View query={me} name="how you sign in" rows={3} empty={null}>
        {(own) => (
          <>
            <Own me={own} />
            <ForEveryone />
            <DeviceKeys />
          </>
        )}
      </View>
    </Page>
  );
}

const BY_TOKEN =
  'This browser signed in with a token, which changes nothing about how you sign in. Sign in with your password or a link first.';

function Own({ me }: { me: Me }) {
  const { Methods = [], Provider = 'the identity provider' } = useQuery(sessionQueries.current()).data ?? {};
  if (me.PersonId === undefined)
    return <p>This browser signed in with a token of the account. A token has no password and no second factor.</p>;
  if (me.Source === 'oidc') return <p>You sign in at {Provider}. Your password and second factor are there.</p>;
  const why = me.TokenId === undefined ? undefined : BY_TOKEN;
  const hasPassword = me.HasPassword ?? false;
  return (
    <>
      <OwnPassword hasPassword={hasPassword} why={why} />
      {hasPassword && <OwnSecondFactor isOn={me.SecondFactor} why={why} />}
      {Methods.includes('oidc') && <JoinProvider provider={Provider} hasPassword={hasPassword} why={why} />}
    </>
  );
}
