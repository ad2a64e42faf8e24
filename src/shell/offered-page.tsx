// A page that only some services offer: elsewhere no link leads to it, and its address says so.
import type { ReactNode } from 'react';
import { useQuery } from '@tanstack/react-query';
import { offered } from '#/api/capabilities.ts';
import type { Capability } from '#/contract/account.ts';
import { paths } from '#/paths.ts';
import { Page } from '#/ui/page/page.tsx';
import { Empty, NoDataYet } from '#/ui/page/view.tsx';

interface OfferedPageProps {
  needs: Capability;
  title: string;
  children: ReactNode;
}

export function OfferedPage({ needs, title, children }: OfferedPageProps) {
  const offer = useQuery(offered(needs));
  if (offer.data === true) return children;
  return (
    <Page title={title}>
      {offer.data === undefined ? (
        <NoDataYet query={offer} name="the account" />
      ) : (
        <Empty title="This service does not offer this page" next={{ label: 'Overview', to: paths.overview() }} />
      )}
    </Page>
  );
}
