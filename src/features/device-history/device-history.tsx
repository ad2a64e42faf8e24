// When a device was Online in the last day, week or month, as a strip and a share. The timeline lists each change.
import { useQuery } from '@tanstack/react-query';
import { historyQueries, type StateEvent } from '#/api/history.ts';
import type { Device } from '#/contract/devices.ts';
import { counted, formatDuration, formatShare } from '#/lib/format.ts';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { stateLabel } from '#/ui/controls/state-words.ts';
import { useNow } from '#/ui/controls/time.tsx';
import { Section } from '#/ui/page/page.tsx';
import { View } from '#/ui/page/view.tsx';
import { oneOf, urlSchema } from '#/ui/url/url-schema.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';
import { deviceStretches, historyBegin } from './state-stretches.ts';
import { StateStrip } from './state-strip.tsx';

const HOUR = 3_600_000;
/** If less of the period than this is known, the text says how much. */
const COMPLETE = 0.98;

const PERIODS = [
  { value: '24', label: '24 h', words: 'the last 24 hours' },
  { value: '168', label: '7 days', words: 'the last 7 days' },
  { value: '720', label: '30 days', words: 'the last 30 days' },
] as const;

const historyUrl = urlSchema({ period: oneOf(['24', '168', '720'], '24') });

export function DeviceHistory({ device }: { device: Device }) {
  const [{ period }, url] = useUrlState(historyUrl);
  const { value, words } = PERIODS.find((each) => each.value === period) ?? PERIODS[0];
  const query = useQuery(historyQueries.device(device.DeviceId, Number(value), device.DeviceStatus));
  return (
    <Section
      title="History"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Period"
          value={value}
          data={PERIODS}
          onChange={(chosen) => url.set({ period: chosen })}
        />
      }
    >
      <View query={query} name="the history" rows={2} empty={null}>
        {({ events }) => <Filled device={device} events={events} hours={Number(value)} words={words} />}
      </View>
    </Section>
  );
}

/** The last 24 hours only. */
export function DeviceDay({ device }: { device: Device }) {
  const { value, words } = PERIODS[0];
  const query = useQuery(historyQueries.device(device.DeviceId, Number(value), device.DeviceStatus));
  return (
    <View query={query} name="the history" rows={2} empty={null}>
      {({ events }) => <Filled device={device} events={events} hours={Number(value)} words={words} />}
    </View>
  );
}

interface FilledProps {
  device: Device;
  events: readonly StateEvent[];
  hours: number;
  words: string;
}

function Filled({ device, events, hours, words }: FilledProps) {
  const to = useNow().getTime();
  const from = to - hours * HOUR;
  const begin = historyBegin(device, events, to);
  const stretches = deviceStretches(events, { from, to }, begin);
  const length = (state: string | undefined) =>
    stretches.reduce((sum, stretch) => sum + (stretch.value === state ? stretch.to - stretch.from : 0), 0);
  const [online, offline] = [length('Online'), length('Offline')];
  const unknown = length(undefined) - Math.max(0, Math.min(begin, to) - from || 0);
  const known = online + offline;
  const away = stretches.filter(({ value }) => value === 'Offline');
  const awayFor = away.reduce((sum, stretch) => sum + stretch.to - stretch.from, 0);
  const of = known < COMPLETE * hours * HOUR ? `the time that is known (${formatDuration(known, 'rough')})` : words;
  const none = device.DeviceStatus === 'NotConnected' ? stateLabel('NotConnected') : `No data for ${words}`;
  const text = known === 0 ? none : `Online for ${formatShare(online / known)} of ${of}`;
  return (
    <>
      <StateStrip
        label={text}
        stretches={stretches.map(({ value, ...span }) => ({
          ...span,
          share: value === undefined ? undefined : value === 'Online' ? 1 : 0.25,
        }))}
      />
      <p className="dim tiny">
        {text}
        {away.length > 0 && `, offline ${counted(away.length, 'time')} for ${formatDuration(awayFor, 'rough')}`}.{' '}
        {unknown >= 1000 && `Unknown for ${formatDuration(unknown, 'rough')}, because the service was down.`}
      </p>
    </>
  );
}
