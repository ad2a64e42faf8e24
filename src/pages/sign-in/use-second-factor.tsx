// The second factor that an account requires is set up before anything else. Its code loads only then.
import { useState, type ComponentType } from 'react';
import { PlainButton } from '#/ui/plain/plain-fields.tsx';
import { Card } from './card.tsx';

interface SetupProps {
  password: string | undefined;
  onLeave: () => void;
}

/** `begin` shows the setup in the place of the page; `card` is undefined until then. */
export function useSecondFactor(onLeave: () => void) {
  const [props, setProps] = useState<Pick<SetupProps, 'password'>>();
  const [Setup, setSetup] = useState<ComponentType<SetupProps>>();
  const [hasFailed, setFailed] = useState(false);
  const load = async () => {
    setFailed(false);
    try {
      const { SetupCard } = await import('./setup-card.tsx');
      setSetup(() => SetupCard);
    } catch {
      setFailed(true);
    }
  };
  const begin = (password?: string) => {
    setProps({ password });
    void load();
  };
  const leave = () => {
    setProps(undefined);
    onLeave();
  };
  const card = props && (
    <>
      {Setup ? (
        <Setup password={props.password} onLeave={leave} />
      ) : (
        <Card title="Set up a second factor">
          {hasFailed && (
            <>
              <p role="alert">The rest of this page could not be loaded.</p>
              <PlainButton look="filled" onClick={() => void load()}>
                Try again
              </PlainButton>
            </>
          )}
        </Card>
      )}
    </>
  );
  return { begin, card };
}
