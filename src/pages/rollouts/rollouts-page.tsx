// All rollouts: their progress, and why one waits or is paused.
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { rolloutEndpoints, type RolloutSummary } from '#/contract/rollouts.ts';
import { rolloutQueries } from '#/api/rollouts.ts';
import { RolloutTabs } from '#/features/page-tabs/page-tabs.tsx';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { formatCount } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { StateOf } from '#/ui/controls/state-mark.tsx';
import { Page } from '#/ui/page/page.tsx';
import { Empty, View } from '#/ui/page/view.tsx';
import { MiddleEllipsis } from '#/ui/controls/middle-ellipsis.tsx';
import { rowName, type Column } from '#/ui/table/table.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import { Link } from '#/ui/url/link.tsx';
import { rolloutWords } from './rollout-words.ts';
import { StateBar } from './state-bar.tsx';
import { Gate } from '#/ui/controls/gate.tsx';
import { useMay } from '#/api/people.ts';

const COLUMNS: Column<RolloutSummary>[] = [
  {
    header: 'Name',
    cell: ({ RolloutId, Name }) => (
      <Link to={paths.rollout(RolloutId)} className={rowName}>
        <MiddleEllipsis text={Name} />
      </Link>
    ),
  },
  {
    header: 'State',
    width: '160px',
    cell: (rollout) => <StateOf words={rolloutWords(rollout)} />,
  },
  {
    header: 'Wave',
    width: '80px',
    phone: 'second',
    cell: ({ Wave, WaveCount }) => (
      <>
        <span className="on-phone">wave </span>
        {formatCount(Wave)} of {formatCount(WaveCount)}
      </>
    ),
  },
  { header: 'Devices', width: 'min(240px, 26cqi)', phone: 'wide', cell: ({ Counts }) => <StateBar counts={Counts} /> },
  {
    header: 'Reason',
    width: '20%',
    phone: 'wide',
    room: 'medium',
    cell: ({ Because }) => <span className="dim">{Because}</span>,
    title: ({ Because }) => Because,
  },
  { header: 'Created', width: '100px', phone: 'second', cell: ({ CreatedTime }) => <Timestamp text={CreatedTime} /> },
];

function NewRollout() {
  const why = useMay(rolloutEndpoints.create, 'Creating rollouts');
  return (
    <Gate why={why}>
      <Button
        component={Link}
        to={paths.deploy({ waves: 'on' })}
        variant="filled"
        leftSection={<IconPlus size={18} stroke={1.6} aria-hidden />}
      >
        New rollout
      </Button>
    </Gate>
  );
}

export function RolloutsPage() {
  const rollouts = useQuery(rolloutQueries.list());
  return (
    <Page
      title="Rollouts"
      lead="An artifact in waves: each starts when the one before it has succeeded and its devices are back online."
      actions={rollouts.data?.length !== 0 && <NewRollout />}
    >
      <RolloutTabs />
      <View
        query={rollouts}
        name="the rollouts"
        isEmpty={(list) => list.length === 0}
        empty={
          <Empty title="No rollouts yet" scoped action={<NewRollout />}>
            A rollout starts with a few devices and pauses when they fail or do not come back.
          </Empty>
        }
      >
        {(list) => <VirtualTable name="Rollouts" columns={COLUMNS} rows={list} rowKey={({ RolloutId }) => RolloutId} />}
      </View>
    </Page>
  );
}
