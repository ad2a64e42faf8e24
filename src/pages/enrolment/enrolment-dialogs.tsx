// The dialogs of enrolment: create a key, which is shown once; approve and reject devices; delete a key.
import '#/ui/form/checkbox.css';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Box, Checkbox } from '@mantine/core';
import { enrolmentMutations } from '#/api/enrolment.ts';
import { call } from '#/api/call.ts';
import { formRules } from '#/api/form-rules.ts';
import { RequestKeys } from '#/api/request-keys.ts';
import { requestOf } from '#/api/request-of.ts';
import { unconfirmed } from '#/api/unconfirmed.ts';
import { enrolmentEndpoints, pairingDraft, type EnrolmentKey, type PendingDevice } from '#/contract/enrolment.ts';
import { DeviceNameInput } from '#/features/device-dialogs/device-name-input.tsx';
import { GroupInput } from '#/features/device-dialogs/group-input.tsx';
import { useKnownValues } from '#/features/device-dialogs/use-known-values.ts';
import { AllowTunnels } from '#/features/install/allow-tunnels.tsx';
import { InstallLines } from '#/features/install/install-lines.tsx';
import { counted, formatCount } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { runEach } from '#/lib/run-each.ts';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { FormDialog } from '#/ui/dialog/form-dialog.tsx';
import { SecretDialog } from '#/ui/dialog/secret-dialog.tsx';
import type { Dialog } from '#/ui/dialog/use-dialog.ts';
import { TextField } from '#/ui/form/text-field.tsx';
import { consequence, doublesOf } from './enrolment-words.ts';
import { useTakenNames } from './use-taken-names.ts';

export type EnrolmentDialog = 'pair' | 'create' | 'delete' | 'approve' | 'approve-all' | 'reject' | 'reject-all';

interface EnrolmentDialogsProps {
  dialog: Dialog<EnrolmentDialog>;
  keys: readonly EnrolmentKey[];
  pending: readonly PendingDevice[];
  /** Those that can be approved or rejected together. */
  waiting: readonly PendingDevice[];
}

export function EnrolmentDialogs({ dialog, keys, pending, waiting }: EnrolmentDialogsProps) {
  const { name, subject, close } = dialog;
  const key = keys.find(({ EnrolmentId }) => EnrolmentId === subject);
  const device = pending.find(({ PendingId }) => PendingId === subject);
  if (name === 'pair') return <PairDevice onClose={close} />;
  if (name === 'create') return <CreateKey onClose={close} />;
  if (name === 'delete' && key) return <DeleteKey enrolmentKey={key} onClose={close} />;
  if (name === 'approve' && device) return <ApproveDevice device={device} onClose={close} />;
  if (name === 'reject' && device) return <RejectDevice device={device} onClose={close} />;
  if (name === 'approve-all') return <DecideAll key={name} verb="Approve" waiting={waiting} onClose={close} />;
  if (name === 'reject-all') return <DecideAll key={name} verb="Reject" waiting={waiting} onClose={close} />;
  return null;
}

const PAIRING_RULES = formRules(pairingDraft, { Code: 'Code', DeviceName: 'Name', DeviceGroup: 'Group' });

function PairDevice({ onClose }: { onClose: () => void }) {
  const groups = useKnownValues('DeviceGroup');
  const navigate = useNavigate();
  return (
    <FormDialog
      onClose={onClose}
      title="Pair a device"
      rules={PAIRING_RULES}
      initial={{ Code: '', DeviceName: '', DeviceGroup: '' }}
      bodyOf={(values) => values}
      write={enrolmentMutations.pair()}
      request={({ Code, ...body }) =>
        requestOf(enrolmentEndpoints.claimPairing, { params: { pairing_code: Code || 'CODE' }, body })
      }
      submitLabel="Pair"
      onDone={({ DeviceId }) => void navigate(paths.device(DeviceId), { replace: true, state: { paired: true } })}
    >
      {({ field }) => (
        <>
          <details>
            <summary className="small dim">Make a device show its code</summary>
            <Box pt="sm">
              <InstallLines by="pairing" />
            </Box>
          </details>
          <TextField
            description="The eight letters that the device shows."
            placeholder="ABCD-EFGH"
            required
            data-autofocus
            {...TEXT}
            {...field('Code')}
          />
          <DeviceNameInput {...field('DeviceName')} />
          <GroupInput data={groups} {...field('DeviceGroup')} />
        </>
      )}
    </FormDialog>
  );
}

const KEY_LABELS = {
  Name: 'Name',
  DeviceGroup: 'Group',
  CustomerName: 'Customer',
  CustomerSite: 'Site',
  Tags: 'Tags',
  MaxUses: 'Device limit',
  Days: 'Valid for (days)',
  NeedsApproval: 'Approval',
  AllowTunnels: 'Tunnels',
};
const KEY_RULES = formRules(enrolmentEndpoints.create.body, KEY_LABELS);
const DAY = 86_400_000;
const TEXT = { maxLength: 255, autoComplete: 'off', spellCheck: false } as const;

/** Empty fields are left out, and a number that is none is left to the check. */
function keyBody(values: Record<keyof typeof KEY_LABELS, string>, now: number) {
  const tags = values.Tags.split(',').flatMap((tag) => tag.trim() || []);
  const days = Number(values.Days);
  return {
    Name: values.Name,
    DeviceGroup: values.DeviceGroup,
    ...(values.CustomerName !== '' && { CustomerName: values.CustomerName }),
    ...(values.CustomerSite !== '' && { CustomerSite: values.CustomerSite }),
    ...(tags.length > 0 && { Tags: tags }),
    MaxUses: values.MaxUses === '' ? 0 : Number(values.MaxUses),
    ...(days > 0 && { ExpiresTime: new Date(now + days * DAY).toISOString() }),
    NeedsApproval: values.NeedsApproval === 'yes',
    AllowTunnels: values.AllowTunnels === 'yes',
  };
}

function CreateKey({ onClose }: { onClose: () => void }) {
  const [keys] = useState(() => new RequestKeys());
  // The same request when it is sent again.
  const [openedAt] = useState(() => Date.now());
  const [made, setMade] = useState<{ name: string; secret: string; allowed: boolean | undefined }>();
  const groups = useKnownValues('DeviceGroup');
  if (made)
    return (
      <SecretDialog
        title={`Enrolment key “${made.name}”`}
        what="enrolment key"
        secret={made.secret}
        fileName="muster-enrolment-key.txt"
        onDone={onClose}
        commands={(onTaken, revealed) => (
          <InstallLines
            by="enrolment"
            secret={made.secret}
            revealed={revealed}
            onCopied={onTaken}
            allowed={made.allowed}
          />
        )}
      >
        Run this on each device, or build it into the image. Anyone with the key can add devices until it expires, is
        used up, or is deleted.
      </SecretDialog>
    );
  return (
    <FormDialog
      onClose={onClose}
      title="Create enrolment key"
      rules={KEY_RULES}
      initial={{
        Name: '',
        DeviceGroup: '',
        CustomerName: '',
        CustomerSite: '',
        Tags: '',
        MaxUses: '',
        Days: '30',
        NeedsApproval: 'yes',
        AllowTunnels: 'yes',
      }}
      bodyOf={(values) => keyBody(values, openedAt)}
      // Not cached, so that nothing of the key outlives the dialog.
      write={{ ...enrolmentMutations.create(keys), gcTime: 0 }}
      request={(body) => requestOf(enrolmentEndpoints.create, { body })}
      explain={unconfirmed('enrolment key')}
      submitLabel="Create key"
      onDone={({ EnrolKey }, { Name, AllowTunnels: allowed }) => setMade({ name: Name, secret: EnrolKey, allowed })}
    >
      {({ field, values, fill }) => (
        <>
          <TextField
            description="Where it is used, so you know which one to delete."
            placeholder="Golden image 2026"
            required
            data-autofocus
            {...TEXT}
            {...field('Name')}
          />
          <GroupInput data={groups} description="The group that its devices join." {...field('DeviceGroup')} />
          <TextField {...TEXT} {...field('CustomerName')} />
          <TextField {...TEXT} {...field('CustomerSite')} />
          <TextField description="Comma-separated." {...TEXT} {...field('Tags')} />
          <TextField inputMode="numeric" description="Leave empty for no limit." {...TEXT} {...field('MaxUses')} />
          <TextField
            inputMode="numeric"
            description="Leave empty to keep it until it is deleted."
            {...TEXT}
            {...field('Days')}
          />
          <Checkbox
            label="Require approval"
            description="New devices stay pending until approved."
            checked={values.NeedsApproval === 'yes'}
            onChange={({ currentTarget: { checked } }) => fill({ NeedsApproval: checked ? 'yes' : '' })}
          />
          <AllowTunnels
            many
            checked={values.AllowTunnels === 'yes'}
            onChange={(checked) => fill({ AllowTunnels: checked ? 'yes' : '' })}
          />
        </>
      )}
    </FormDialog>
  );
}

function DeleteKey({ enrolmentKey, onClose }: { enrolmentKey: EnrolmentKey; onClose: () => void }) {
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Delete enrolment key"
      confirmLabel="Delete key"
      write={enrolmentMutations.remove(enrolmentKey.EnrolmentId)}
    >
      No device can join with <strong>{enrolmentKey.Name}</strong> any more, and devices that wait because of it are
      turned away. Devices that have joined stay.
    </ConfirmDialog>
  );
}

const DEVICE_RULES = formRules(enrolmentEndpoints.approve.body, { DeviceName: 'Name', DeviceGroup: 'Group' });

function ApproveDevice({ device, onClose }: { device: PendingDevice; onClose: () => void }) {
  // The list may be read again while the dialog is open.
  const [{ PendingId, DeviceName, DeviceGroup, Because, Fingerprint }] = useState(device);
  const groups = useKnownValues('DeviceGroup');
  // A machine that is a device already keeps the name and group that it has.
  const isNew = Because === 'NeedsApproval';
  return (
    <FormDialog
      onClose={onClose}
      title={`Approve ${DeviceName}`}
      rules={DEVICE_RULES}
      initial={{ DeviceName, DeviceGroup }}
      bodyOf={(values) => (isNew ? values : {})}
      write={enrolmentMutations.approve(PendingId)}
      request={(body) => requestOf(enrolmentEndpoints.approve, { params: { pending_id: PendingId }, body })}
      submitLabel="Approve"
      onDone={onClose}
    >
      {({ field }) => (
        <>
          <p>{consequence({ Because })}</p>
          <p className="dim">
            The device prints the fingerprint <span className="mono">{Fingerprint}</span>.
          </p>
          {isNew && (
            <>
              <DeviceNameInput {...field('DeviceName')} />
              <GroupInput data={groups} {...field('DeviceGroup')} />
            </>
          )}
        </>
      )}
    </FormDialog>
  );
}

function RejectDevice({ device, onClose }: { device: PendingDevice; onClose: () => void }) {
  return (
    <ConfirmDialog
      onClose={onClose}
      title="Reject device"
      confirmLabel="Reject"
      write={enrolmentMutations.reject(device.PendingId)}
    >
      <strong>{device.DeviceName}</strong> (<span className="mono">{device.Fingerprint}</span>) is turned away whenever
      it asks. It stays in this list, where it can be approved after all.
    </ConfirmDialog>
  );
}

/** The first of the names. */
function namesText(all: readonly PendingDevice[], doubles: ReadonlyMap<string, string>): string {
  const names = [...new Set(all.flatMap(({ PendingId, DeviceName }) => (doubles.has(PendingId) ? DeviceName : [])))];
  return `${names.slice(0, NAMED).join(', ')}${names.length > NAMED ? ` and ${formatCount(names.length - NAMED)} more` : ''}.`;
}

const NAMED = 5;

interface DecideAllProps {
  verb: 'Approve' | 'Reject';
  waiting: readonly PendingDevice[];
  onClose: () => void;
}

function DecideAll({ verb, waiting, onClose }: DecideAllProps) {
  // Those that are shown; others may come meanwhile.
  const [all] = useState(waiting);
  const taken = useTakenNames({ need: verb === 'Approve' });
  const [hasDoubles, setDoubles] = useState(false);
  const doubles = verb === 'Approve' ? doublesOf(all, taken ?? new Set()) : new Map();
  const devices = hasDoubles ? all : all.filter(({ PendingId }) => !doubles.has(PendingId));
  const title = `${verb} ${counted(devices.length, 'device')}`;
  const operation = verb === 'Approve' ? enrolmentEndpoints.approve : enrolmentEndpoints.reject;
  return (
    <ConfirmDialog
      onClose={onClose}
      title={title}
      confirmLabel={title}
      write={{
        mutationFn: async () => {
          const failures: unknown[] = [];
          await runEach(devices, {
            send: async ({ PendingId: pending_id }) => {
              const params = { pending_id };
              if (verb === 'Approve') await call(enrolmentEndpoints.approve, { params, body: {} });
              else await call(enrolmentEndpoints.reject, { params });
            },
            signal: new AbortController().signal,
            onResult: (_, result) => 'error' in result && failures.push(result.error),
          });
          if (failures.length > 0) throw failures[0];
        },
        meta: { operation },
      }}
    >
      {verb === 'Approve'
        ? 'Each becomes a device with the name that it reports, and gets a key of its own.'
        : 'Each is turned away whenever it asks. They stay in this list, where they can be approved after all.'}{' '}
      Known machines and possible clones are not among them.
      {doubles.size > 0 && (
        <Checkbox
          mt="md"
          label={`Approve the ${formatCount(doubles.size)} with a name that is not unique, too`}
          description={`Otherwise they stay in the list, where each can be approved under another name: ${namesText(all, doubles)}`}
          checked={hasDoubles}
          onChange={(event) => setDoubles(event.currentTarget.checked)}
        />
      )}
    </ConfirmDialog>
  );
}
