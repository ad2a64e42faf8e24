// How one signs in.
import { Page } from '#/ui/page/page.tsx';

export function OwnSignInPage() {
  return <Page title="Sign-in">{null}</Page>;
}
