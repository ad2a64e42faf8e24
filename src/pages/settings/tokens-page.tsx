// The API tokens.
import { Page } from '#/ui/page/page.tsx';
import { Tokens } from '#/pages/account/tokens.tsx';

export function TokensPage() {
  return (
    <Page title="Tokens">
      <Tokens />
    </Page>
  );
}
