// The question before an API token is revoked.
import { accountEndpoints } from '#/contract/account.ts';
import type { ApiToken } from '#/contract/account.ts';
import { accountMutations } from '#/api/account.ts';
import { requestOf } from '#/api/request-of.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { useConfirmed } from '#/ui/dialog/use-confirmed.ts';

export function RevokeToken({ token, onClose }: { token: ApiToken; onClose: () => void }) {
  const confirmed = useConfirmed(accountMutations.revokeToken(token.TokenId), onClose);
  return (
    <ConfirmDialog
      opened
      {...confirmed}
      title="Revoke API token"
      confirmLabel="Revoke token"
      request={requestOf(accountEndpoints.revokeToken, { params: { token_id: token.TokenId } })}
    >
      <strong>{token.Name || token.Prefix}</strong> (<span className="mono">{token.Prefix}…</span>) stops working at
      once, for every program and every session that signed in with it, this one included if it did.
    </ConfirmDialog>
  );
}
