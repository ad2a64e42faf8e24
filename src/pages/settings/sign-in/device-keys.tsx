// How devices sign in: with keys, which they replace after some days if an Admin says so.
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { NativeSelect } from '@mantine/core';
import { accountMutations, accountQueries } from '#/api/account.ts';
import { offers } from '#/api/capabilities.ts';
import { useMe, whyNot } from '#/api/people.ts';
import { accountEndpoints } from '#/contract/account.ts';
import { counted } from '#/lib/format.ts';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { Section } from '#/ui/page/page.tsx';
import { FormError } from '#/ui/page/view.tsx';
import classes from './sign-in.module.css';

const CHOICES = [0, 30, 90, 180, 365];
const wordsOf = (days: number) => (days === 0 ? 'Never' : `Every ${counted(days, 'day')}`);

export function DeviceKeys() {
  const me = useMe();
  const account = useQuery(accountQueries.get()).data;
  const { mutate, error } = useWrite(accountMutations.update());
  // What was just chosen, until the account says the same.
  const [chosen, setChosen] = useState<number>();
  if (!account || !offers(account, 'key-rotation')) return null;
  if (!me || whyNot(me, accountEndpoints.update) !== undefined) return null;
  const days = account.KeyRotationDays ?? 0;
  if (chosen === days) setChosen(undefined);
  const all = [...new Set([...CHOICES, days])].toSorted((one, other) => one - other);
  return (
    <Section title="Device keys">
      <FormError error={error} />
      <NativeSelect
        label="Rotate device keys"
        description="Each device is sent a new key over its connection, and the old one stops working when it uses the new one. Devices whose agents cannot store a key keep theirs; their pages say why."
        value={String(chosen ?? days)}
        data={all.map((each) => ({ value: String(each), label: wordsOf(each) }))}
        onChange={({ currentTarget: { value } }) => {
          setChosen(Number(value));
          mutate({ KeyRotationDays: Number(value) }, { onError: () => setChosen(undefined) });
        }}
        classNames={{ wrapper: classes.days }}
      />
    </Section>
  );
}
