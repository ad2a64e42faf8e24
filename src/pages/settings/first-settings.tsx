// Where the settings begin: at People for those who manage them, for others at the first page that concerns them.
import { Navigate } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { accountQueries } from '#/api/account.ts';
import { offers } from '#/api/capabilities.ts';
import { peopleQueries, whyNot } from '#/api/people.ts';
import { peopleEndpoints } from '#/contract/people.ts';
import { paths } from '#/paths.ts';
import { Page } from '#/ui/page/page.tsx';
import { NoDataYet } from '#/ui/page/view.tsx';
import { settingsGroups } from './settings-list.ts';

export function FirstSettings() {
  const account = useQuery(accountQueries.get());
  const hasPeople = account.data !== undefined && offers(account.data, 'people');
  const me = useQuery({ ...peopleQueries.me(), enabled: hasPeople });
  if (!account.data || me.isLoading)
    return (
      <Page title="Settings">
        <NoDataYet query={account} name="the account" />
      </Page>
    );
  const isManager = me.data !== undefined && whyNot(me.data, peopleEndpoints.list) === undefined;
  const entries = settingsGroups(account.data.Capabilities ?? []).flatMap((group) => group.entries);
  const first = entries.find(({ to }) => to !== paths.people() || isManager);
  return <Navigate to={first?.to ?? paths.usage()} replace />;
}
