// What the rule in the form would fire for now, and how often it would have fired lately: read while it is edited.
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { ruleTrial, type AlertEvent, type RuleDraft, type RuleTrial as Trial } from '#/contract/alerts.ts';
import { alertQueries } from '#/api/alerts.ts';
import { counted } from '#/lib/format.ts';
import { firingCount } from './alert-words.ts';

const NAMED = 5;

/** Jobs count as they ended after retries, which is not how often messages came. */
function firedText(event: AlertEvent, fired: number): string {
  const isJob = event === 'JobFailed';
  return fired === 0 ? (isJob ? 'none' : 'never') : counted(fired, isJob ? 'job' : 'time');
}

/** Keyed by its event: figures of another one mean something else. */
export const RuleTrial = ({ rule }: { rule: RuleDraft }) => <Figures key={rule.When} rule={rule} />;

function Figures({ rule }: { rule: RuleDraft }) {
  // Without what has no part in it; '' while a field has a fault. A text, which stays the same from render to render.
  const asked = JSON.stringify(ruleTrial.safeParse(rule).data ?? '');
  const [settled] = useDebouncedValue(asked, 300);
  const body = (JSON.parse(settled) || undefined) as Trial | undefined;
  const { data, isPlaceholderData } = useQuery({
    ...alertQueries.tried(body ?? { When: rule.When, ForMinutes: 0 }),
    enabled: body !== undefined,
  });
  if (!data) return null;
  const { Count, Devices, Fired, Hours = 168 } = data;
  // Until the answer the lines keep their places, without the figures of what was typed before.
  const isKnown = body !== undefined && asked === settled && !isPlaceholderData;
  const named = isKnown ? Devices.slice(0, NAMED) : [];
  const more = named.length > 0 && Count !== undefined ? Count - named.length : 0;
  return (
    <div className="small" role="group" aria-label="With the fleet as it is" aria-busy={!isKnown}>
      {Count !== undefined && (
        <p>
          <strong>Right now:</strong>{' '}
          {!isKnown ? '…' : Count === 0 ? 'nothing' : firingCount({ When: rule.When, Count })}
          {named.map(({ DeviceId, DeviceName }, index) => (
            <span key={DeviceId}>
              {index === 0 ? ' – ' : ', '}
              <bdi>{DeviceName || DeviceId}</bdi>
            </span>
          ))}
          {more > 0 && ` and ${counted(more, 'other')}`}
        </p>
      )}
      {Fired !== undefined && (
        <p>
          <strong>In the last {Hours === 168 ? '7 days' : counted(Hours, 'hour')}:</strong>{' '}
          {!isKnown ? '…' : firedText(rule.When, Fired)}
        </p>
      )}
    </div>
  );
}
