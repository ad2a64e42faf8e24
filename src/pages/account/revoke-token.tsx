// The question before an API token is revoked.
import { useMutation } from '@tanstack/react-query';
import { accountEndpoints } from '#/contract/account.ts';
import type { ApiToken } from '#/contract/account.ts';
import { accountMutations } from '#/api/account.ts';
import { requestOf } from '#/api/request-of.ts';
import { ConfirmDialog } from '#/ui/confirm-dialog.tsx';
import { focusPage } from '#/ui/use-focus-back.ts';

export function RevokeToken({ token, onClose }: { token: ApiToken; onClose: () => void }) {
  const revoke = useMutation(accountMutations.revokeToken(token.TokenId));
  const done = () => {
    onClose();
    focusPage();
  };
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title="Revoke API token"
      confirmLabel="Revoke token"
      request={requestOf(accountEndpoints.revokeToken, { params: { token_id: token.TokenId } })}
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate(undefined, { onSuccess: done })}
    >
      <strong>{token.Name || token.Prefix}</strong> (<span className="mono">{token.Prefix}…</span>) stops working at
      once, for every program and every session that signed in with it, this one included if it did.
    </ConfirmDialog>
  );
}
