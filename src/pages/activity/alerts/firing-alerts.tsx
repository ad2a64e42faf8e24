// Alerts firing now, by rule, with their devices and sites.
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import type { FiringAlert } from '#/contract/alerts.ts';
import { alertQueries } from '#/api/alerts.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { paths } from '#/paths.ts';
import { formatCount } from '#/lib/format.ts';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import { Section } from '#/ui/page/page.tsx';
import { View } from '#/ui/page/view.tsx';
import { DataTable, type Column } from '#/ui/table/table.tsx';
import { Link } from '#/ui/url/link.tsx';
import type { AlertDialog } from './alert-dialogs.tsx';
import { SilenceNote } from './silence-dialog.tsx';
import classes from './alerts.module.css';

/** Devices listed by name; the rest are counted. */
const SHOWN = 5;

function FiringDevices({ Devices, Count, When }: FiringAlert) {
  const named = Devices.filter(({ DeviceId }) => DeviceId !== '').slice(0, SHOWN);
  if (named.length === 0) return null;
  return (
    <ul className={classes.devices}>
      {named.map(({ DeviceId, DeviceName, CustomerSite, Text }, index) => (
        <li key={`${DeviceId} ${index}`}>
          <Link to={paths.device(DeviceId)}>
            <bdi>{DeviceName || DeviceId}</bdi>
          </Link>
          {CustomerSite && (
            <>
              {' '}
              at{' '}
              <Link to={paths.devices({ site: CustomerSite })}>
                <bdi>{CustomerSite}</bdi>
              </Link>
            </>
          )}
          {Text && <span className="dim"> {Text}</span>}
        </li>
      ))}
      {Count > named.length && (
        <li>
          <Link
            to={When === 'TunnelPublic' ? paths.tunnels({ exposure: 'public' }) : paths.devices({ status: 'Offline' })}
          >
            and {formatCount(Count - named.length)} more
          </Link>
        </li>
      )}
    </ul>
  );
}

const columnsOf = (dialog: Dialog<AlertDialog>): Column<FiringAlert>[] => [
  {
    header: 'Alert',
    cell: (alert) => (
      <div className={classes.text}>
        {alert.Text}
        <FiringDevices {...alert} />
      </div>
    ),
    phone: 'wide',
  },
  { header: 'Rule', cell: ({ Rule }) => <bdi>{Rule}</bdi>, width: '22%' },
  { header: 'Since', cell: ({ Since }) => <Timestamp text={Since} />, width: '130px', phone: 'end' },
  {
    header: 'Actions',
    tools: true,
    cell: ({ RuleId, Rule, Silence }) =>
      Silence ? (
        <SilenceNote silence={Silence} />
      ) : (
        <Button
          variant="default"
          size="xs"
          aria-label={`Silence firing rule ${Rule}`}
          onClick={() => dialog.open('silence', RuleId)}
        >
          Silence
        </Button>
      ),
  },
];

export function FiringAlerts({ dialog }: { dialog: Dialog<AlertDialog> }) {
  const firing = useQuery(alertQueries.firing());
  return (
    <Section title="Firing now">
      <View
        query={firing}
        name="firing alerts"
        rows={2}
        isEmpty={({ length }) => length === 0}
        empty={<p className="dim">No alerts are firing.</p>}
      >
        {(alerts) => (
          <DataTable name="Firing now" columns={columnsOf(dialog)} rows={alerts} rowKey={({ RuleId }) => RuleId} />
        )}
      </View>
    </Section>
  );
}
