// What the rule in the form would fire for now, and how often it would have fired lately: read while it is edited.
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { ruleTrial, type RuleDraft, type RuleTrial as Trial } from '#/contract/alerts.ts';
import { parseTimestamp } from '#/contract/timestamps.ts';
import { alertQueries } from '#/api/alerts.ts';
import { counted } from '#/lib/format.ts';
import { Time, useNow } from '#/ui/controls/time.tsx';
import { firingCount } from './alert-words.ts';

const NAMED = 5;
const WEEK_MS = 7 * 86_400_000;
/** Milliseconds by which the beginning may differ from a week ago. */
const ABOUT = 3_600_000;

export function RuleTrial({ rule }: { rule: RuleDraft }) {
  const now = useNow().getTime();
  // Without what has no part in it; '' while a field has a fault. A text, which stays the same from render to render.
  const [settled] = useDebouncedValue(JSON.stringify(ruleTrial.safeParse(rule).data ?? ''), 300);
  const body = (JSON.parse(settled) || undefined) as Trial | undefined;
  const { data } = useQuery({
    ...alertQueries.tried(body ?? { When: rule.When, ForMinutes: 0 }),
    enabled: body !== undefined,
  });
  if (!data || !body) return null;
  const { Count, Devices, Fired } = data;
  const since = parseTimestamp(data.From ?? '');
  const isWeek = since === undefined || now - since.getTime() > WEEK_MS - ABOUT;
  const names = Devices.slice(0, NAMED).map(({ DeviceName, DeviceId }) => DeviceName || DeviceId);
  const more = Devices.length > 0 && Count !== undefined ? Count - names.length : 0;
  return (
    <div className="small" role="group" aria-label="With the fleet as it is">
      {Count !== undefined && (
        <p>
          <strong>Right now:</strong> {Count === 0 ? 'nothing' : firingCount({ When: body.When, Count })}
          {names.length > 0 && (
            <>
              {' – '}
              <bdi>{names.join(', ')}</bdi>
              {more > 0 && ` and ${counted(more, 'other')}`}
            </>
          )}
        </p>
      )}
      {Fired !== undefined && (
        <p>
          <strong>
            {isWeek ? (
              'In the last 7 days:'
            ) : (
              <>
                Since <Time at={since} />:
              </>
            )}
          </strong>{' '}
          {Fired === 0 ? 'never' : counted(Fired, 'time')}
        </p>
      )}
    </div>
  );
}
