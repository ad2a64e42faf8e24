// Alerts: those firing, the rules, and the deliveries. The channels are part of the settings.
import { useQuery } from '@tanstack/react-query';
import { offered } from '#/api/capabilities.ts';
import { alertQueries } from '#/api/alerts.ts';
import { ActivityTabs } from '#/features/page-tabs/page-tabs.tsx';
import { useDialog } from '#/ui/dialog/use-dialog.ts';
import { Page } from '#/ui/page/page.tsx';
import { Empty, View } from '#/ui/page/view.tsx';
import { AlertDeliveries } from './alerts/alert-deliveries.tsx';
import { AlertDialogs, type AlertDialog } from './alerts/alert-dialogs.tsx';
import { AlertRules } from './alerts/alert-rules.tsx';
import { FiringAlerts } from './alerts/firing-alerts.tsx';

export function AlertsPage() {
  const isOffered = useQuery(offered('alerts'));
  return (
    <Page title="Alerts" lead="Rules watch the fleet and send messages to webhooks and e-mail addresses.">
      <ActivityTabs />
      <View query={isOffered} name="the account" empty={null} rows={4}>
        {(hasAlerts) =>
          hasAlerts ? (
            <AllAlerts />
          ) : (
            <Empty title="This service sends no alerts">Its own portal or monitoring may.</Empty>
          )
        }
      </View>
    </Page>
  );
}

function AllAlerts() {
  const channels = useQuery(alertQueries.channels());
  const dialog = useDialog<AlertDialog>('alert');
  return (
    <>
      <FiringAlerts dialog={dialog} />
      <AlertRules channels={channels.data} dialog={dialog} />
      <AlertDeliveries />
      <AlertDialogs channels={channels.data} dialog={dialog} />
    </>
  );
}
