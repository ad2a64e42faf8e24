// Shown for an address without a page.
import { paths } from '#/paths.ts';
import { Page } from '#/ui/page/page.tsx';
import { Empty } from '#/ui/page/view.tsx';
import { Link } from '#/ui/url/link.tsx';

export function NotFoundPage() {
  return (
    <Page title="No such page">
      <Empty title="There is no page at this address." action={<Link to={paths.overview()}>Go to the overview</Link>} />
    </Page>
  );
}
