// Messages that were sent, or are waiting to be.
import { useInfiniteQuery } from '@tanstack/react-query';
import type { AlertDelivery } from '#/contract/alerts.ts';
import { alertQueries } from '#/api/alerts.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { paths } from '#/paths.ts';
import { counted } from '#/lib/format.ts';
import { StateOf } from '#/ui/controls/state-mark.tsx';
import { Section } from '#/ui/page/page.tsx';
import { View } from '#/ui/page/view.tsx';
import { NextPage } from '#/ui/table/more-rows.tsx';
import { DataTable, type Column } from '#/ui/table/table.tsx';
import { Link } from '#/ui/url/link.tsx';
import { deliveryWords, eventLabel } from './alert-words.ts';
import classes from './alerts.module.css';

function DeliveryState({ State, Attempts, Because, NextTime }: AlertDelivery) {
  const hasFailed = Attempts > 0 && State !== 'Delivered';
  return (
    <div className={classes.text}>
      <StateOf words={deliveryWords({ State, Attempts })} />
      {(hasFailed || Attempts > 1 || Because) && (
        <div className="small dim">
          {[Attempts > 0 && counted(Attempts, 'attempt'), Because].filter(Boolean).join(': ')}
          {hasFailed && NextTime && (
            <>
              ; next <Timestamp text={NextTime} ahead />
            </>
          )}
        </div>
      )}
    </div>
  );
}

/** Lines shown before "more lines". */
const SHOWN = 3;

function Message({ Rule, Event, Text, JobId }: AlertDelivery) {
  const lines = Text.split('\n').map((line, index) => <div key={index}>{line}</div>);
  const more = lines.slice(SHOWN);
  return (
    <div className={classes.text}>
      <strong title={eventLabel(Event)}>
        <bdi>{Rule}</bdi>
      </strong>
      {lines.slice(0, SHOWN)}
      {more.length > 0 && (
        <details>
          <summary className="small dim">{counted(more.length, 'more line')}</summary>
          {more}
        </details>
      )}
      {JobId && (
        <Link to={paths.job(JobId)} className="small">
          Show job
        </Link>
      )}
    </div>
  );
}

const COLUMNS: Column<AlertDelivery>[] = [
  {
    header: 'Message',
    cell: Message,
    phone: 'wide',
  },
  { header: 'Channel', cell: ({ Channel }) => <bdi>{Channel}</bdi>, width: '16%', phone: 'second' },
  { header: 'Delivery', cell: DeliveryState, width: '28%', phone: 'wide' },
  { header: 'Time', cell: ({ Time }) => <Timestamp text={Time} />, width: '120px', phone: 'end' },
];

export function AlertDeliveries() {
  const reading = useInfiniteQuery(alertQueries.deliveries());
  return (
    <Section title="Deliveries">
      <View
        query={reading}
        name="the deliveries"
        rows={2}
        isEmpty={({ length }) => length === 0}
        empty={<p className="dim">Nothing has been sent yet.</p>}
      >
        {(rows) => (
          <>
            <DataTable name="Deliveries" columns={COLUMNS} rows={rows} rowKey={({ DeliveryId }) => DeliveryId} />
            <NextPage reading={reading} label="Show older deliveries" />
          </>
        )}
      </View>
    </Section>
  );
}
