// The dialogs of standing orders, opened by the URL.
import { useQuery } from '@tanstack/react-query';
import { NativeSelect } from '@mantine/core';
import { standingOrderEndpoints, standingOrderForm, type StandingOrder } from '#/contract/standing-orders.ts';
import { artifactQueries } from '#/api/artifacts.ts';
import { formRules } from '#/api/form-rules.ts';
import { requestOf } from '#/api/request-of.ts';
import { standingOrderMutations } from '#/api/standing-orders.ts';
import { useKnownValues } from '#/features/device-dialogs/use-known-values.ts';
import { Status } from '#/ui/controls/status.tsx';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { FormDialog } from '#/ui/dialog/form-dialog.tsx';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import { TextField } from '#/ui/form/text-field.tsx';
import { useSnapshot } from '#/ui/use-snapshot.ts';
import { FailedDevices } from './failed-devices.tsx';
import { GroupInput } from '#/features/device-dialogs/group-input.tsx';

/** `edit` without a subject creates one. */
export type OrderDialog = 'edit' | 'delete' | 'failed';

interface OrderDialogsProps {
  orders: readonly StandingOrder[];
  dialog: Dialog<OrderDialog>;
}

export function OrderDialogs({ orders, dialog: { name, subject, close } }: OrderDialogsProps) {
  const current = orders.find(({ Name }) => Name === subject);
  // An order is changed or deleted as it was when the dialog opened, so that the service refuses it if somebody else has
  // changed it since.
  const opened = useSnapshot(subject !== null && (name === 'edit' || name === 'delete'), () => current);
  const order = opened ?? current;
  return (
    <>
      {name === 'edit' && (order || subject === null) && <EditOrder order={order} onClose={close} />}
      {name === 'delete' && order && (
        <ConfirmDialog
          onClose={close}
          title="Delete standing order"
          confirmLabel="Delete standing order"
          write={standingOrderMutations.remove(order)}
        >
          <strong>
            <bdi>{order.Name}</bdi>
          </strong>{' '}
          submits no more jobs. Jobs already submitted continue, and devices keep the version they have.
        </ConfirmDialog>
      )}
      {name === 'failed' && order && <FailedDevices order={order} onClose={close} />}
    </>
  );
}

const NEW_VERSION =
  'A new version starts over: each device that lacks it gets one job, including those that failed before.';

const RULES = formRules(standingOrderForm, { Name: 'Name', DeviceGroup: 'Group', ArtifactId: 'Version' });

function EditOrder({ order: before, onClose }: { order: StandingOrder | undefined; onClose: () => void }) {
  const groups = useKnownValues('DeviceGroup');
  const artifacts = useQuery(artifactQueries.list()).data ?? [];
  const choices = artifacts.map(({ ArtifactId, Name, Version }) => ({
    value: ArtifactId,
    label: `${Name} ${Version}`,
  }));
  return (
    <FormDialog
      onClose={onClose}
      title={before ? `Edit ${before.Name}` : 'New standing order'}
      rules={RULES}
      initial={{
        Name: before?.Name ?? '',
        DeviceGroup: before?.DeviceGroup ?? '',
        ArtifactId: before?.State === 'Active' ? before.ArtifactId : '',
      }}
      bodyOf={({ Name, DeviceGroup, ArtifactId }) => ({ Name, DeviceGroup: DeviceGroup.trim(), ArtifactId })}
      write={standingOrderMutations.save(before)}
      request={({ Name, ...body }) =>
        Name.trim() ? requestOf(standingOrderEndpoints.save, { params: { name: Name.trim() }, body }) : undefined
      }
      submitLabel={before ? 'Save' : 'Create standing order'}
      onDone={onClose}
    >
      {({ field, values }) => (
        <>
          {!before && <TextField autoComplete="off" data-autofocus required {...field('Name')} />}
          <GroupInput
            data={groups}
            description="Devices that join it later are included."
            required
            {...field('DeviceGroup')}
          />
          <NativeSelect
            data={[{ value: '', label: 'Choose an artifact' }, ...choices.toReversed()]}
            description="Devices that have it are skipped; every other device gets one job."
            required
            {...field('ArtifactId')}
          />
          <Status className="dim">{before && values.ArtifactId !== before.ArtifactId && NEW_VERSION}</Status>
        </>
      )}
    </FormDialog>
  );
}
