// The password of the person who is signed in.
import { mutationOptions } from '@tanstack/react-query';
import { send } from '#/api/call.ts';
import { accountEndpoints } from '#/contract/account.ts';
import { peopleEndpoints } from '#/contract/people.ts';

export interface PasswordChange {
  Old: string;
  New: string;
}

/** Changes it, or sets the first one; the person's other sessions end. */
export const changePassword = () =>
  mutationOptions({
    mutationFn: async (change: PasswordChange): Promise<void> => {
      await send('POST', '/auth/password', change);
    },
    meta: { changes: [peopleEndpoints.me.resource.name, accountEndpoints.sessions.resource.name] },
  });
