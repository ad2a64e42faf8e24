import { signedIn, signOut } from '#/api/session.ts';
import { SecondFactorSetup } from '#/features/second-factor/second-factor-setup.tsx';
import { PlainButton } from '#/ui/plain/plain-fields.tsx';
import { Card } from './card.tsx';

/** For an account that requires a second factor, and a person who has none: it is set up before anything else. */
export function SetupCard({ password, onLeave }: { password: string | undefined; onLeave: () => void }) {
  return (
    <Card
      title="Set up a second factor"
      text="Your account requires one. From now on, signing in needs a code of your phone, too."
    >
      <SecondFactorSetup password={password} onDone={signedIn} />
      <PlainButton look="link" onClick={() => void signOut().then(onLeave, onLeave)}>
        Sign out
      </PlainButton>
    </Card>
  );
}
