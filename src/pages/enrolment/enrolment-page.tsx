// How devices join by themselves: the keys for it, and the devices that wait for somebody to approve them.
import { useMemo } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { accountQueries } from '#/api/account.ts';
import { enrolmentQueries } from '#/api/enrolment.ts';
import { useMay } from '#/api/people.ts';
import { enrolmentEndpoints } from '#/contract/enrolment.ts';
import { formatCount } from '#/lib/format.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useDialog } from '#/ui/dialog/use-dialog.ts';
import { Page, Section } from '#/ui/page/page.tsx';
import { Empty, View } from '#/ui/page/view.tsx';
import { DataTable } from '#/ui/table/table.tsx';
import { EnrolmentDialogs, type EnrolmentDialog } from './enrolment-dialogs.tsx';
import { keyColumns, pendingColumns } from './enrolment-columns.tsx';
import { byName, doublesOf } from './enrolment-words.ts';
import { useTakenNames } from './use-taken-names.ts';

export function EnrolmentPage() {
  const noKeys = useMay(enrolmentEndpoints.list, 'Seeing enrolment keys');
  const noApproval = useMay(enrolmentEndpoints.approve, 'Approving devices');
  const noPairing = useMay(enrolmentEndpoints.claimPairing, 'Pairing devices');
  const keys = useQuery({ ...enrolmentQueries.keys(), enabled: noKeys === undefined });
  const pending = useQuery(enrolmentQueries.pending());
  const dialog = useDialog<EnrolmentDialog>('enrolment');
  const rows = useMemo(() => byName(pending.data ?? []), [pending.data]);
  const account = useQuery({ ...accountQueries.get(), enabled: rows.length > 0 });
  const taken = useTakenNames({ devices: account.data?.NumDevicesAdded });
  const doubles = useMemo(() => doublesOf(rows, taken ?? new Set()), [rows, taken]);
  const waiting = rows.filter(({ State, Because }) => State === 'Waiting' && Because === 'NeedsApproval');
  const create = (
    <Gate why={noKeys}>
      <Button
        variant={waiting.length > 0 ? 'default' : 'filled'}
        leftSection={<IconPlus size={18} stroke={1.6} aria-hidden />}
        onClick={() => dialog.open('create')}
      >
        Create key
      </Button>
    </Gate>
  );
  return (
    <Page
      title="Enrolment"
      lead="Devices join by themselves with a key that many of them share: put it into an image, or run one line on each."
      actions={
        <>
          <Gate why={noPairing}>
            <Button onClick={() => dialog.open('pair')}>Pair a device</Button>
          </Gate>
          {keys.data?.length !== 0 && create}
        </>
      }
    >
      <Section
        title="Waiting for approval"
        actions={
          waiting.length > 1 && (
            <>
              <Gate why={noApproval}>
                <Button onClick={() => dialog.open('reject-all')}>
                  Reject {formatCount(waiting.length)} new devices…
                </Button>
              </Gate>
              <Gate why={noApproval}>
                <Button variant="filled" onClick={() => dialog.open('approve-all')}>
                  Approve {formatCount(waiting.length)} new devices…
                </Button>
              </Gate>
            </>
          )
        }
      >
        <View
          query={pending}
          name="devices that wait"
          rows={2}
          isEmpty={({ length }) => length === 0}
          empty={<p className="dim">No devices are waiting.</p>}
        >
          {() => (
            <DataTable
              name="Devices that wait for approval"
              columns={pendingColumns(dialog, noApproval, doubles)}
              rows={rows}
              rowKey={({ PendingId }) => PendingId}
            />
          )}
        </View>
      </Section>
      {noKeys === undefined && (
        <Section title="Keys">
          <View
            query={keys}
            name="enrolment keys"
            rows={3}
            isEmpty={({ length }) => length === 0}
            empty={
              <Empty title="No enrolment keys" action={create}>
                A key says which group, customer, site and tags its devices get, how many may join, and whether somebody
                approves them.
              </Empty>
            }
          >
            {(all) => (
              <DataTable
                name="Enrolment keys"
                columns={keyColumns(dialog)}
                rows={all}
                rowKey={({ EnrolmentId }) => EnrolmentId}
              />
            )}
          </View>
        </Section>
      )}
      <EnrolmentDialogs dialog={dialog} keys={keys.data ?? []} pending={pending.data ?? []} waiting={waiting} />
    </Page>
  );
}
