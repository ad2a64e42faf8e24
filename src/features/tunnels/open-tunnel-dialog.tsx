// Opens a tunnel: a device, a destination on it, who gets in and until when; then its address, with the login and the
// commands, once. In front of a service that cannot open tunnels, it shows what to run on the device.
import '#/ui/form/checkbox.css';
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button, Checkbox, Group, NativeSelect, Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import {
  tunnelDraft,
  tunnelEndpoints,
  USUAL_TUNNEL_MINUTES,
  type NewTunnel,
  type TunnelDraft,
} from '#/contract/tunnels.ts';
import { useOffered } from '#/api/capabilities.ts';
import { deviceQueries } from '#/api/devices.ts';
import { formRules } from '#/api/form-rules.ts';
import { polled } from '#/api/query.ts';
import { RequestKeys } from '#/api/request-keys.ts';
import { requestOf } from '#/api/request-of.ts';
import { tunnelMutations, tunnelQueries } from '#/api/tunnels.ts';
import { unconfirmed } from '#/api/unconfirmed.ts';
import { paths } from '#/paths.ts';
import { BaseDialog } from '#/ui/dialog/base-dialog.tsx';
import { FormDialog } from '#/ui/dialog/form-dialog.tsx';
import { TextField } from '#/ui/form/text-field.tsx';
import { SegmentedControl } from '#/ui/controls/segmented-control.tsx';
import { OpenTunnel } from './open-tunnel.tsx';
import { OpenedTunnel } from './opened-tunnel.tsx';
import { AllowHint } from './allow-hint.tsx';
import {
  choiceOf,
  draftOf,
  ENDS,
  IDLES,
  isWeb,
  knownServices,
  newLogin,
  refusalOf,
  SERVICES,
  usualPort,
  type Service,
  type TunnelChoice,
} from './tunnel-choices.ts';
import classes from './open-tunnel.module.css';

interface OpenTunnelDialogProps {
  /** The device that is chosen at first; on its own page, no other can be. */
  device?: { id: string; isFixed: boolean } | undefined;
  onClose: () => void;
}

const AWAY_WORDS = new Map([
  ['Offline', 'The device is offline: the tunnel works as soon as it is back.'],
  ['NotConnected', 'The device has not connected yet: the tunnel works as soon as it does.'],
]);

export function OpenTunnelDialog(props: OpenTunnelDialogProps) {
  const isOffered = useOffered('open-tunnels');
  if (isOffered === undefined) return null;
  if (isOffered) return <OpenHere {...props} />;
  return (
    <BaseDialog onClose={props.onClose} title="Open a tunnel" size="lg">
      <OpenTunnel />
    </BaseDialog>
  );
}

const RULES = formRules<keyof TunnelChoice>(tunnelDraft, {
  DeviceId: 'Device',
  Service: 'Service',
  Host: 'Host on the device',
  Port: 'Port',
  LocalDest: 'Destination',
  Login: 'Login',
  Public: 'Public',
  ExpiresMinutes: 'Closes after',
  IdleMinutes: 'Closes when unused',
});

const nothingIsThere = { Service: 'web', Host: '127.0.0.1', Port: '80', LocalDest: '', Login: 'yes', Public: '' };

function OpenHere({ device, onClose }: OpenTunnelDialogProps) {
  const [keys] = useState(() => new RequestKeys());
  const [login] = useState(newLogin);
  const [opened, setOpened] = useState<{ tunnel: NewTunnel; draft: TunnelDraft; at: number }>();
  // Of the device that is chosen in the form, which the reason below needs too.
  const [chosenId, setChosenId] = useState(device?.id ?? '');
  const chosen = useQuery({ ...polled(deviceQueries.one(chosenId), 5_000), enabled: chosenId !== '', retry: false });
  const [isPublic, setPublic] = useState(false);
  if (opened) return <OpenedTunnel {...opened} onDone={onClose} />;
  const notReady = ({ DeviceId, LocalDest, Login }: TunnelDraft) => {
    if (DeviceId === '') return 'Choose a device';
    if (chosen.data && refusalOf(chosen.data, LocalDest)) return 'The device does not allow it';
    if (LocalDest.startsWith('http:') && Login === undefined && !isPublic) return 'Confirm that anyone may use it';
    return undefined;
  };
  return (
    <FormDialog
      onClose={onClose}
      title="Open a tunnel"
      size="lg"
      rules={RULES}
      initial={{
        ...nothingIsThere,
        DeviceId: device?.id ?? '',
        ExpiresMinutes: String(USUAL_TUNNEL_MINUTES),
        IdleMinutes: '',
      }}
      bodyOf={(values) => draftOf(values, login)}
      notReady={notReady}
      write={tunnelMutations.open(keys)}
      // The command is for a program, which chooses its own.
      request={(body) =>
        requestOf(tunnelEndpoints.open, { body: { ...body, ...(body.Login && { Login: 'user:a-long-password' }) } })
      }
      explain={unconfirmed('tunnel', { label: 'See the tunnels', to: paths.tunnels() })}
      submitLabel="Open tunnel"
      onDone={(tunnel, draft) => setOpened({ tunnel, draft, at: Date.now() })}
    >
      {({ field, values, fill }) => {
        const draft = draftOf(values, login);
        const refusal = chosen.data && refusalOf(chosen.data, draft.LocalDest);
        return (
          <>
            {device?.isFixed ? (
              <p>
                To <strong>{chosen.data?.DeviceName || device.id}</strong>
              </p>
            ) : (
              <DeviceSelect
                value={values.DeviceId}
                error={field('DeviceId').error}
                onPick={(DeviceId) => {
                  setChosenId(DeviceId);
                  fill({ DeviceId });
                }}
              />
            )}
            <KnownServices device={values.DeviceId} onPick={(choice) => fill(choice)} />
            <div className={classes.where}>
              <div>
                <span id="tunnel-service" className={classes.label}>
                  Service
                </span>
                <SegmentedControl
                  aria-labelledby="tunnel-service"
                  data={SERVICES.map(({ value, label }) => ({ value, label }))}
                  value={values.Service as Service}
                  onChange={(service) => fill({ Service: service, Port: usualPort(service) })}
                />
              </div>
              <TextField {...field('Host')} autoComplete="off" spellCheck={false} maxLength={253} />
              <TextField
                {...field('Port')}
                inputMode="numeric"
                autoComplete="off"
                maxLength={5}
                error={Boolean(field('LocalDest').error) && 'Host or port is not valid'}
              />
            </div>
            {refusal && chosen.data ? (
              <AllowHint refusal={refusal} />
            ) : (
              chosen.data &&
              AWAY_WORDS.has(chosen.data.DeviceStatus) && (
                <p className="dim small">{AWAY_WORDS.get(chosen.data.DeviceStatus)}</p>
              )
            )}
            <div className={classes.until}>
              <NativeSelect {...field('ExpiresMinutes')} data={ENDS} />
              <NativeSelect {...field('IdleMinutes')} data={IDLES} />
            </div>
            {isWeb(values.Service) ? (
              <>
                <Checkbox
                  label="Ask visitors for a login"
                  description="A user name and a password are generated, and shown once."
                  checked={values.Login !== ''}
                  onChange={({ currentTarget: { checked } }) => {
                    setPublic(false);
                    fill({ Login: checked ? 'yes' : '' });
                  }}
                />
                {values.Login === '' && (
                  <Checkbox
                    label="Anyone who has the address may use it"
                    description="It counts as public: alert rules for public tunnels report it."
                    checked={isPublic}
                    onChange={({ currentTarget: { checked } }) => setPublic(checked)}
                  />
                )}
              </>
            ) : (
              <p className="dim small">
                Anyone who reaches the port can connect. What is behind it must ask for a sign-in, as an SSH server
                does.
              </p>
            )}
            <details className={classes.lasting}>
              <summary className="small dim">A tunnel without an end, opened by the device itself</summary>
              <OpenTunnel />
            </details>
          </>
        );
      }}
    </FormDialog>
  );
}

interface DeviceSelectProps {
  value: string;
  error: unknown;
  onPick: (id: string) => void;
}

/** One device, found by a part of its name. */
function DeviceSelect({ value, error, onPick }: DeviceSelectProps) {
  const [typed, setTyped] = useState('');
  const [settled] = useDebouncedValue(typed, 200);
  const chosen = useQuery({ ...polled(deviceQueries.one(value), false), enabled: value !== '', retry: false }).data;
  const name = chosen && (chosen.DeviceName || chosen.DeviceId);
  // The field shows the name of the chosen device, which is not a search.
  const search = settled === name ? '' : settled.trim();
  const found = useQuery(polled(deviceQueries.page(1, 25, { device_name: search }), false));
  const devices = new Map((found.data?.rows ?? []).map((row) => [row.DeviceId, row.DeviceName || row.DeviceId]));
  if (chosen && name) devices.set(chosen.DeviceId, name);
  return (
    <Select
      label="Device"
      placeholder="Search by name"
      searchable
      value={value || null}
      onChange={(id) => onPick(id ?? '')}
      onSearchChange={setTyped}
      data={[...devices].map(([id, label]) => ({ value: id, label }))}
      // The service has already searched.
      filter={({ options }) => options}
      nothingFoundMessage={found.isFetching ? 'Searching' : 'No matching device'}
      error={found.error?.message ?? (error as string | undefined)}
      maxDropdownHeight={220}
      // The dialog focuses its first field: open options would cover the rest of it and take the first Escape.
      openOnFocus={false}
      comboboxProps={{ withinPortal: false }}
    />
  );
}

/** Destinations that tunnels of the device lead to already. */
function KnownServices({ device, onPick }: { device: string; onPick: (choice: ReturnType<typeof choiceOf>) => void }) {
  const known = knownServices(useQuery(tunnelQueries.list()).data ?? [], device);
  if (known.length === 0) return null;
  return (
    <Group gap="xs" role="group" aria-label="Known services of the device">
      <span className="dim small">Known:</span>
      {known.slice(0, 6).map((each) => (
        <Button
          key={each.dest}
          size="compact-sm"
          variant="default"
          className="mono"
          onClick={() => onPick(choiceOf(each))}
        >
          {each.dest}
        </Button>
      ))}
    </Group>
  );
}
