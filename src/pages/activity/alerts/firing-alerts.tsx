// Alerts firing now, by rule, with their devices and sites.
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import type { FiringAlert } from '#/contract/alerts.ts';
import { alertQueries } from '#/api/alerts.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { paths } from '#/paths.ts';
import { counted, formatCount, formatDuration, formatTime } from '#/lib/format.ts';
import { useLook } from '#/ui/controls/look.ts';
import { StateOf } from '#/ui/controls/state-mark.tsx';
import { useNow } from '#/ui/controls/time.tsx';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import { Section } from '#/ui/page/page.tsx';
import { View } from '#/ui/page/view.tsx';
import { DataTable, type Column } from '#/ui/table/table.tsx';
import { Link } from '#/ui/url/link.tsx';
import type { AlertDialog } from './alert-dialogs.tsx';
import { byUrgency, severityWords } from './alert-words.ts';
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

const DAY = 86_400_000;
/** "3 days", "4 h 10 min" */
const lastingText = (ms: number) => (ms < 2 * DAY ? formatDuration(ms, 'rough') : counted(Math.floor(ms / DAY), 'day'));

/** How long it has been firing. */
function Lasting({ since }: { since: string }) {
  const now = useNow();
  const { zone } = useLook();
  const at = parseTimestamp(since);
  if (!at) return <span className="dim">–</span>;
  return (
    <time dateTime={at.toISOString()} title={`Since ${formatTime(at, zone)}`} className="tabular">
      {lastingText(Math.max(0, now.getTime() - at.getTime()))}
    </time>
  );
}

const columnsOf = (dialog: Dialog<AlertDialog>): Column<FiringAlert>[] => [
  {
    header: 'Severity',
    cell: ({ When }) => <StateOf words={severityWords(When)} />,
    width: '110px',
    phone: 'second',
  },
  { header: 'Number', cell: ({ Count }) => formatCount(Count), align: 'end', width: '90px', phone: 'hide' },
  { header: 'For', cell: ({ Since }) => <Lasting since={Since} />, width: '110px', phone: 'end' },
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
        {(alerts) => <BySilence alerts={alerts} dialog={dialog} />}
      </View>
    </Section>
  );
}

function BySilence({ alerts, dialog }: { alerts: readonly FiringAlert[]; dialog: Dialog<AlertDialog> }) {
  const columns = columnsOf(dialog);
  const sorted = alerts.toSorted(byUrgency);
  const silenced = sorted.filter(({ Silence }) => Silence);
  const loud = sorted.filter(({ Silence }) => !Silence);
  return (
    <>
      {loud.length > 0 ? (
        <DataTable name="Firing now" columns={columns} rows={loud} rowKey={({ RuleId }) => RuleId} />
      ) : (
        <p className="dim">Everything that fires is silenced.</p>
      )}
      {silenced.length > 0 && (
        <>
          <h3 className={classes.silenced}>Silenced</h3>
          <DataTable name="Silenced" columns={columns} rows={silenced} rowKey={({ RuleId }) => RuleId} />
        </>
      )}
    </>
  );
}
