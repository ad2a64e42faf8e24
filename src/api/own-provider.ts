// Signing in at the identity provider from now on.
import { mutationOptions } from '@tanstack/react-query';
import { send } from '#/api/call.ts';
import type { JoinAnswer } from '#/contract/sign-in.ts';

/** Begins it: the browser goes on at the provider. */
export const joinProvider = () =>
  mutationOptions({
    mutationFn: async (body: { Proof: string }): Promise<JoinAnswer> =>
      JSON.parse((await send('POST', '/auth/oidc/join', body)).text) as JoinAnswer,
  });
