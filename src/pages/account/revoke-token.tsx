// The question before an API token is revoked.
import type { ApiToken } from '#/contract/account.ts';
import { accountMutations } from '#/api/account.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';

export function RevokeToken({ token, onClose }: { token: ApiToken; onClose: () => void }) {
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Revoke API token"
      confirmLabel="Revoke token"
      write={accountMutations.revokeToken(token.TokenId)}
    >
      <strong>{token.Name || token.Prefix}</strong> (<span className="mono">{token.Prefix}…</span>) stops working at
      once, for every program and every session that signed in with it, this one included if it did.
    </ConfirmDialog>
  );
}
