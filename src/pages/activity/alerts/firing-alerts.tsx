// Alerts firing now, by rule, with their devices and sites: the worst first, those silenced folded below.
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { alertEndpoints, type FiringAlert } from '#/contract/alerts.ts';
import { alertQueries } from '#/api/alerts.ts';
import { useMay } from '#/api/people.ts';
import { paths } from '#/paths.ts';
import { counted, formatCount, formatDuration, formatTime } from '#/lib/format.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useLook } from '#/ui/controls/look.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { useNow } from '#/ui/controls/time.tsx';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import { Section } from '#/ui/page/page.tsx';
import { View } from '#/ui/page/view.tsx';
import { DataTable, type Column } from '#/ui/table/table.tsx';
import { Link } from '#/ui/url/link.tsx';
import type { AlertDialog } from './alert-dialogs.tsx';
import { firingCount, severityOf, worstFirst } from './alert-words.ts';
import { EndSilence } from './end-silence.tsx';
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
            to={When === 'TunnelPublic' ? paths.tunnels({ exposure: 'public' }) : paths.devices({ state: 'offline' })}
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

function Lasting({ Since }: FiringAlert) {
  const now = useNow();
  const { zone } = useLook();
  const at = new Date(Since);
  if (Number.isNaN(at.getTime())) return <span className="dim">{Since || '–'}</span>;
  return (
    <time dateTime={Since} title={formatTime(at, zone)} className="tabular">
      {lastingText(Math.max(0, now.getTime() - at.getTime()))}
    </time>
  );
}

const columnsOf = (dialog: Dialog<AlertDialog>, noSilence: string | undefined): Column<FiringAlert>[] => [
  {
    header: 'Severity',
    cell: (alert) => {
      const { mark, label } = severityOf(alert.When);
      return (
        <>
          <StateMark state={mark} label={label} />{' '}
          <span className={`on-phone ${classes.number}`}>{firingCount(alert)}</span>
        </>
      );
    },
    width: '112px',
    phone: 'second',
  },
  { header: 'Number', cell: firingCount, width: '112px', className: classes.number, phone: 'hide' },
  { header: 'For', cell: Lasting, width: '88px', phone: 'end' },
  {
    header: 'Alert',
    cell: (alert) => (
      <div className={classes.text}>
        <strong>
          <bdi>{alert.Rule}</bdi>
        </strong>
        {(alert.When === 'QuotaNear' || alert.Devices.length === 0) && <div>{alert.Text}</div>}
        <FiringDevices {...alert} />
        {alert.Silence && (
          <div>
            <SilenceNote silence={alert.Silence} />
          </div>
        )}
      </div>
    ),
    phone: 'wide',
  },
  {
    header: 'Actions',
    tools: true,
    cell: ({ RuleId, Rule, Silence }) =>
      Silence ? (
        <EndSilence id={RuleId} label={`End silence of firing rule ${Rule}`} />
      ) : (
        <Gate why={noSilence}>
          <Button
            variant="default"
            size="xs"
            aria-label={`Silence firing rule ${Rule}`}
            onClick={() => dialog.open('silence', RuleId)}
          >
            Silence
          </Button>
        </Gate>
      ),
  },
];

export function FiringAlerts({ dialog }: { dialog: Dialog<AlertDialog> }) {
  const firing = useQuery(alertQueries.firing());
  const noSilence = useMay(alertEndpoints.silenceRule, 'Silencing rules');
  const columns = columnsOf(dialog, noSilence);
  const listOf = (name: string, rows: FiringAlert[]) => (
    <DataTable name={name} columns={columns} rows={rows} rowKey={({ RuleId }) => RuleId} />
  );
  return (
    <Section title="Firing now">
      <View
        query={firing}
        name="firing alerts"
        rows={2}
        isEmpty={({ length }) => length === 0}
        empty={<p className="dim">No alerts are firing.</p>}
      >
        {(alerts) => {
          const { loud = [], silenced = [] } = Object.groupBy(worstFirst(alerts), ({ Silence }) =>
            Silence ? 'silenced' : 'loud',
          );
          return (
            <>
              {loud.length > 0 ? (
                listOf('Firing now', loud)
              ) : (
                <p className="dim">No alerts are firing but the silenced ones.</p>
              )}
              {silenced.length > 0 && (
                <details className={classes.silenced}>
                  <summary>
                    {formatCount(silenced.length)} silenced: {silenced.map(({ Rule }) => Rule).join(', ')}
                  </summary>
                  {listOf('Silenced alerts', silenced)}
                </details>
              )}
            </>
          );
        }}
      </View>
    </Section>
  );
}
