// Sign-in without a gateway: the API checks the token once, and the page keeps it in memory.
import { ACCOUNT_PATH, readAccountAnswer } from '#/contract/sign-in-check.ts';
import { ApiError } from '#/api/api-error.ts';
import { send } from '#/api/call.ts';
import { hold } from '#/api/direct.ts';

export async function signInDirectly(address: string, token: string): Promise<void> {
  const { status, text, wait } = await send('GET', ACCOUNT_PATH, undefined, { token }).then(
    (answer) => ({ ...answer, wait: undefined }),
    (error: unknown) => {
      if (!(error instanceof ApiError) || error.kind !== 'refused' || error.status === 0) throw error;
      return { status: error.status, text: error.detail, wait: error.retryAfter };
    },
  );
  const account = readAccountAnswer(new URL(address).host, status, text, wait);
  if ('fault' in account)
    throw new ApiError('refused', account.fault.title, { status: account.fault.status, detail: account.fault.detail });
  hold({ token, email: account.email });
}
