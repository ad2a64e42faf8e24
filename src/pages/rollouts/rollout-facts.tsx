// The facts at the top of a rollout's page: what it deploys to which devices, and the rules between its waves.
import { minutesText, type Rollout } from '#/contract/rollouts.ts';
import { PayloadLink, TargetLink } from '#/features/jobs/job-links.tsx';
import { ZoneNote } from '#/features/time-zones/zone-note.tsx';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { counted, formatCount } from '#/lib/format.ts';
import { FactList, type Fact } from '#/ui/page/fact-list.tsx';

type Settings = Rollout['Settings'];

const LATER = new Set(['Gate', 'Pauses', 'Next wave', 'Only during', 'Created', 'Ended']);

/** "100 % succeeded, 10 minutes online, within 1 hour" */
const gateRuleText = ({ SuccessPercent, OnlineMinutes, TimeoutMinutes }: Settings['Gate']): string =>
  `${formatCount(SuccessPercent)} % succeeded${
    OnlineMinutes > 0 ? `, ${minutesText(OnlineMinutes)} online` : ''
  }, within ${minutesText(TimeoutMinutes)}`;

/** "At the first failure", "Above 3 failures" */
function pauseRuleText({ FailedCount, FailedPercent = 0 }: Settings['PauseAfter']): string {
  const most = FailedCount ?? FailedPercent;
  if (most === 0) return 'At the first failure';
  return `Above ${FailedCount === undefined ? `${formatCount(most)} % failed` : counted(most, 'failure')}`;
}

/** "Mon, Tue 22:00–04:00 (Europe/Berlin)" */
const windowText = ({ Days, From, To, Zone }: Settings['Windows'][number]): string =>
  `${Days.join(', ')} ${From}–${To} (${Zone})`;

function Target({ settings: { DeviceGroup: group, TagId: tag } }: { settings: Settings }) {
  if (group) return <TargetLink target={{ kind: 'group', name: group }} />;
  return tag ? <TargetLink target={{ kind: 'tag', id: tag, name: tag }} /> : 'Selected devices';
}

export function RolloutFacts({ rollout }: { rollout: Rollout }) {
  const { Settings, Zones, Devices, State, ArtifactId, WorkflowId, CreatedTime, EndTime } = rollout;
  const { Gate, PauseAfter, Advance, StartTime, Windows } = Settings;
  const facts: Fact[] = [
    ['Target', <Target key="target" settings={Settings} />],
    ['Devices', formatCount(Devices)],
    [ArtifactId ? 'Artifact' : 'Workflow', <PayloadLink key="payload" artifact={ArtifactId} workflow={WorkflowId} />],
    ['Starts', State === 'Scheduled' && StartTime !== undefined && <Timestamp key="at" text={StartTime} ahead />],
    ['Gate', gateRuleText(Gate)],
    ['Pauses', pauseRuleText(PauseAfter)],
    ['Next wave', Advance === 'confirm' ? 'After approval' : 'Automatic'],
    [
      'Only during',
      Windows.length > 0 && (
        <>
          {Windows.map((window) => (
            <p key={windowText(window)}>{windowText(window)}</p>
          ))}
          {Zones && <ZoneNote zones={Zones} />}
        </>
      ),
    ],
    ['Created', <Timestamp key="at" text={CreatedTime} />],
    ['Ended', EndTime !== '' && <Timestamp key="at" text={EndTime} />],
  ];
  return <FactList facts={facts} later={LATER} />;
}
