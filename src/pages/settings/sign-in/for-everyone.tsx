// What an Admin requires of everybody, and which ways to sign in the service has.
import '#/ui/form/checkbox.css';
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Checkbox } from '@mantine/core';
import { accountMutations, accountQueries } from '#/api/account.ts';
import { useMe, whyNot } from '#/api/people.ts';
import { sessionQueries } from '#/api/session.ts';
import { accountEndpoints } from '#/contract/account.ts';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { Section } from '#/ui/page/page.tsx';
import { FormError } from '#/ui/page/view.tsx';
import classes from './sign-in.module.css';

export function ForEveryone() {
  const me = useMe();
  const account = useQuery(accountQueries.get()).data;
  const session = useQuery(sessionQueries.current()).data;
  const { mutate, error } = useWrite(accountMutations.update());
  // What was just chosen, until the account says the same: the mark must not jump back meanwhile.
  const [chosen, setChosen] = useState<boolean>();
  // Others can change none of it.
  if (!me || whyNot(me, accountEndpoints.update) !== undefined) return null;
  const isRequired = account?.NeedsSecondFactor ?? false;
  if (chosen === isRequired) setChosen(undefined);
  const hasProvider = session?.Methods?.includes('oidc') ?? false;
  return (
    <Section title="For everyone">
      <FormError error={error} />
      <Checkbox
        label="Require a second factor"
        description="Whoever signs in with a password and has none yet must set one up first. Tokens and the identity provider are not affected."
        checked={chosen ?? isRequired}
        onChange={({ currentTarget: { checked } }) => {
          setChosen(checked);
          mutate({ NeedsSecondFactor: checked }, { onError: () => setChosen(undefined) });
        }}
      />
      <dl className={classes.facts}>
        <dt>Identity provider</dt>
        <dd>
          {hasProvider ? (
            (session?.Provider ?? 'Set up')
          ) : (
            <>
              None. The operator of the service sets one up with <span className="mono">OIDC_ISSUER</span>.
            </>
          )}
        </dd>
      </dl>
    </Section>
  );
}
