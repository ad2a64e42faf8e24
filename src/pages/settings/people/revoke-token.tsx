// Revokes an API token, and says what ends with it.
import { tokenMutations } from '#/api/tokens.ts';
import type { ApiToken } from '#/contract/account.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';

export function RevokeToken({ token, onClose }: { token: ApiToken; onClose: () => void }) {
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Revoke API token"
      confirmLabel="Revoke token"
      write={tokenMutations.revokeToken(token.TokenId)}
    >
      <strong>{token.Name || token.Prefix}</strong> (<span className="mono">{token.Prefix}…</span>) stops working at
      once for every program and session that signed in with it, including this one if it did.
    </ConfirmDialog>
  );
}
