// Lets the person sign in at the identity provider from now on.
import { Button } from '@mantine/core';
import { paths } from '#/paths.ts';
import { Section } from '#/ui/page/page.tsx';

export function JoinProvider({ provider }: { provider: string }) {
  return (
    <Section
      title={provider}
      lead={`Sign in there instead of with a password. Your role then comes from ${provider}, at every sign-in anew.`}
      actions={
        <Button component="a" href={paths.joinProvider()}>
          Join
        </Button>
      }
    >
      {null}
    </Section>
  );
}
