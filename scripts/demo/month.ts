// What the people of the demo did in the month that has passed: each step is a request to the API at its time.
import { addAlerts, silenceCameras } from './alerts.ts';
import { asPerson, withToken } from './client.ts';
import type { Client } from './client.ts';
import { addDevices } from './fleet.ts';
import type { DemoDevice } from './fleet.ts';
import { midnight } from './outages.ts';
import { COMMANDS, FIRMWARE, KIOSK_APP, REPORT } from './software.ts';
import type { Command, Program } from './software.ts';
import type { SteppedService } from './stepped-service.ts';

export interface Step {
  at: number;
  run: () => Promise<unknown>;
  /** The service is down until then. */
  downUntil?: number;
}

interface MonthOptions {
  service: SteppedService;
  token: string;
  end: number;
  /** How many devices there are in the end. */
  devices: number;
  /** Where the agents put their artifacts. */
  scripts: string;
  /** Devices were created, and connect from now on. */
  added: (devices: DemoDevice[]) => void;
  uploaded: (artifactId: string, program: Program) => void;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Before the first day that the overview shows. */
export const startOf = (end: number): number => midnight(end) - 31 * DAY + 7 * HOUR;

/** The first of them are there from the beginning. */
const FIRST_SHARE = 0.8;
const TAGS: [tag: string, every: number][] = [
  ['outdoor', 4],
  ['pilot', 15],
];
export const PASSWORD = 'a fleet around the world';
export const PEOPLE = {
  mara: { Name: 'Mara Lindqvist', Email: 'mara@example.com', Role: 'Admin' },
  tom: { Name: 'Tom Okafor', Email: 'tom@example.com', Role: 'Operator' },
  priya: { Name: 'Priya Raman', Email: 'priya@example.com', Role: 'Deployer' },
} as const;

const GATE = { SuccessPercent: 80, OnlineMinutes: 10, TimeoutMinutes: 3 * 24 * 60 };
const WAVES = [{ Percent: 10 }, { Percent: 50 }, { Percent: 100 }];

export function monthOf({ service, token, end, devices: total, scripts, added, uploaded }: MonthOptions): Step[] {
  const steps: Step[] = [];
  const start = startOf(end);
  const { address, now } = service;
  const origin = service.service.url;
  const account = withToken(address, token);
  const person = (name: keyof typeof PEOPLE): Client =>
    asPerson({ address, origin, now }, { Email: PEOPLE[name].Email, Password: PASSWORD });
  const mara = person('mara');
  const tom = person('tom');
  const priya = person('priya');
  /** The pipeline that builds what is deployed, and the reports of each night. */
  let pipeline = account;

  const day = (ago: number, time: string): number => {
    const [hours = 0, minutes = 0] = time.split(':').map(Number);
    return midnight(end) - ago * DAY + hours * HOUR + minutes * MINUTE;
  };
  const hoursAgo = (hours: number) => end - hours * HOUR;
  const at = (time: number, run: () => Promise<unknown>) => {
    if (time >= start && time < end) steps.push({ at: time, run });
  };

  // ---- What there is ------------------------------------------------------------------------------------------------
  const devices: DemoDevice[] = [];
  const artifacts = new Map<Program, string>();
  const workflows = new Map<Command, string>();

  const addUpTo = async (client: Client, share: number) => {
    const made = await addDevices(client, devices.length, Math.round(total * share));
    devices.push(...made);
    added(made);
  };
  const upload = async (client: Client, program: Program) => {
    const { file, version, text } = program;
    const form = new FormData();
    form.set('size', String(text.length));
    form.set('version', version);
    form.set('type', 'script');
    form.set('destination', scripts);
    form.set('command', `sh ./${file}`);
    form.set('file', new File([text], file));
    const { ArtifactId } = await client.call<{ ArtifactId: string }>('POST', '/v1/artifact', form);
    artifacts.set(program, ArtifactId);
    uploaded(ArtifactId, program);
  };
  const addWorkflow = async (client: Client, command: Command) => {
    const body = { Name: command.name, Command: command.command };
    workflows.set(command, (await client.send<{ WorkflowId: string }>('POST', '/v1/workflow', body)).WorkflowId);
  };
  const idOf = (program: Program) => ({ ArtifactId: artifacts.get(program) });
  const workflow = (command: Command) => ({ WorkflowId: workflows.get(command) });
  const submit = (client: Client, Name: string, body: object) => client.send('POST', '/v1/job', { Name, ...body });

  /** A rollout, and the steps that people take in it. */
  const rollout = (
    time: number,
    client: Client,
    draft: { Name: string } & Record<string, unknown>,
    program: Program,
  ) => {
    let id = '';
    at(time, async () => {
      const body = { Waves: WAVES, Gate: GATE, PauseAfter: { FailedPercent: 25 }, Advance: 'auto', ...draft };
      id = (await client.send<{ RolloutId: string }>('POST', '/v1/rollout', { ...body, ...idOf(program) })).RolloutId;
    });
    return (when: number, who: Client, step: string, Reason?: string) =>
      at(when, async () => {
        const { Version, State } = await who.call<{ Version: number; State: string }>('GET', `/v1/rollout/${id}`);
        // Where the fleet is small, it may have passed by itself.
        const wanted = step === 'resume' ? State === 'Paused' : !['Succeeded', 'Failed', 'Aborted'].includes(State);
        if (wanted) await who.send('POST', `/v1/rollout/${id}/${step}`, { Version, ...(Reason && { Reason }) });
      });
  };

  // ---- The beginning ------------------------------------------------------------------------------------------------
  at(start, async () => {
    await account.send('PATCH', '/v1/account', { Name: 'Muster demo' });
    for (const { Name, Email, Role } of Object.values(PEOPLE)) {
      const body = { Name, Email, Role, Groups: [] };
      const { InviteUrl } = await account.send<{ InviteUrl: string }>('POST', '/v1/people', body);
      const Code = new URLSearchParams(new URL(InviteUrl).hash.slice(1)).get('code');
      await account.send('POST', '/auth/accept', { Code, Password: PASSWORD });
    }
    const { Token } = await account.send<{ Token: string }>('POST', '/v1/account/tokens', {
      Name: 'Build pipeline',
      Role: 'Operator',
    });
    pipeline = withToken(address, Token);
    await addUpTo(account, FIRST_SHARE);
    for (const [tag, every] of TAGS) {
      await account.call('POST', `/v1/tag/${tag}`);
      const known = await account.call<{ TagId: string; TagName: string }[]>('GET', '/v1/tag');
      const id = known.find(({ TagName }) => TagName === tag)?.TagId;
      await Promise.all(
        devices
          .filter(({ index }) => index % every === 0)
          .map((device) => account.call('POST', `/v1/devices/${device.id}/tag/${id}`)),
      );
    }
    for (const program of [REPORT, FIRMWARE['2.2.0'], KIOSK_APP['5.1.0']]) await upload(pipeline, program);
    for (const command of Object.values(COMMANDS)) await addWorkflow(mara, command);
    await addAlerts(mara);
  });

  // ---- Every day ----------------------------------------------------------------------------------------------------
  for (let ago = 30; ago >= 0; ago--) {
    at(day(ago, '05:30'), () =>
      submit(pipeline, 'Report of the gateways', { DeviceGroup: 'gateways', ...idOf(REPORT) }),
    );
    const kiosk = (ago * 11) % 37;
    at(day(ago, ago % 3 === 0 ? '09:12' : '15:47'), async () => {
      const device = devices.filter(({ group }) => group === 'kiosks')[kiosk % Math.floor(devices.length / 5)];
      if (device && ago % 2 === 0)
        await submit(tom, `Player of ${device.name}`, { DeviceId: device.id, ...workflow(COMMANDS.restartPlayer) });
    });
    if (ago % 7 === 4)
      at(day(ago, '03:00'), () =>
        submit(pipeline, 'Clear the logs of the cameras', { DeviceGroup: 'cameras', ...workflow(COMMANDS.clearLogs) }),
      );
    if (ago % 6 === 2)
      at(day(ago, '12:40'), () =>
        submit(pipeline, 'Report of the sensors', { DeviceGroup: 'sensors', ...idOf(REPORT) }),
      );
    if (ago % 5 === 1)
      at(day(ago, '10:20'), async () => {
        const device = devices[(ago * 17) % devices.length];
        if (device)
          await submit(tom, `Disk of ${device.name}`, { DeviceId: device.id, ...workflow(COMMANDS.checkDisk) });
      });
  }

  // ---- Firmware 2.2.0, for everybody --------------------------------------------------------------------------------
  for (const [ago, time, group] of [
    [30, '12:00', 'gateways'],
    [29, '08:30', 'cameras'],
    [29, '13:00', 'sensors'],
    [28, '09:00', 'kiosks'],
  ] as const)
    rollout(
      day(ago, time),
      mara,
      { Name: `Firmware 2.2.0 for the ${group}`, DeviceGroup: group, IncludeNew: true },
      FIRMWARE['2.2.0'],
    );
  rollout(
    day(27, '10:15'),
    priya,
    { Name: 'Kiosk app 5.1.0', DeviceGroup: 'kiosks', IncludeNew: true },
    KIOSK_APP['5.1.0'],
  );
  // Devices that join later get it without anybody asking.
  at(day(26, '16:30'), () =>
    mara.send('PUT', '/v1/orders/Sensors', { DeviceGroup: 'sensors', ...idOf(FIRMWARE['2.2.0']) }),
  );

  // ---- The fleet grows ----------------------------------------------------------------------------------------------
  for (const [ago, share] of [
    [24, 0.85],
    [20, 0.9],
    [16, 0.95],
    [9, 1],
  ] as const)
    at(day(ago, '11:05'), () => addUpTo(tom, share));

  // ---- Firmware 2.3.0: it fits the gateways, but not the cameras and sensors ---------------------------------------
  at(day(21, '14:00'), () => upload(pipeline, FIRMWARE['2.3.0']));
  const cameras = rollout(
    day(19, '09:30'),
    priya,
    { Name: 'Firmware 2.3.0 for the cameras', DeviceGroup: 'cameras', PauseAfter: { FailedCount: 3 } },
    FIRMWARE['2.3.0'],
  );
  at(day(19, '11:10'), () =>
    submit(mara, 'Make room on the cameras', { DeviceGroup: 'cameras', ...workflow(COMMANDS.clearLogs) }),
  );
  for (const time of ['11:40', '13:30', '15:20']) {
    cameras(day(19, time), mara, 'retry');
    cameras(day(19, time) + 30 * MINUTE, mara, 'resume', 'The log partitions have room again');
  }
  const sensors = rollout(
    day(15, '13:00'),
    priya,
    { Name: 'Firmware 2.3.0 for the sensors', DeviceGroup: 'sensors', PauseAfter: { FailedCount: 1 } },
    FIRMWARE['2.3.0'],
  );
  // Until then a rollback counted as a success.
  at(day(15, '12:20'), () =>
    mara.send('PUT', '/v1/rules/update-firmware', {
      Rules: [{ Find: 'rolled back', Verdict: 'RolledBack' }],
    }),
  );
  sensors(day(14, '09:40'), mara, 'abort', '2.3.0 lacks the driver of the sensor bus');

  // ---- The service moves to another machine -------------------------------------------------------------------------
  const moves = day(13, '01:00');
  if (moves > start) steps.push({ at: moves, run: async () => {}, downUntil: day(13, '04:10') });

  // ---- Firmware 2.3.1, and the gateways in a window -----------------------------------------------------------------
  at(day(12, '15:30'), () => upload(pipeline, FIRMWARE['2.3.1']));
  rollout(
    day(11, '14:10'),
    priya,
    { Name: 'Firmware 2.3.1 for the sensors', DeviceGroup: 'sensors', PauseAfter: { FailedCount: 4 } },
    FIRMWARE['2.3.1'],
  );
  at(day(10, '08:15'), () =>
    mara.send('PUT', '/v1/orders/Sensors', { DeviceGroup: 'sensors', ...idOf(FIRMWARE['2.3.1']) }),
  );
  rollout(
    day(10, '09:00'),
    mara,
    {
      Name: 'Firmware 2.3.1 for the gateways',
      DeviceGroup: 'gateways',
      IncludeNew: true,
      Windows: [{ Days: ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'], From: '22:00', To: '04:00', Zone: 'UTC' }],
      PauseAfter: { FailedPercent: 30 },
    },
    FIRMWARE['2.3.1'],
  );

  // ---- The app of the kiosks ----------------------------------------------------------------------------------------
  at(day(9, '17:45'), () => upload(pipeline, KIOSK_APP['5.2.0']));
  rollout(
    day(8, '10:00'),
    priya,
    { Name: 'Kiosk app 5.2.0', DeviceGroup: 'kiosks', IncludeNew: true },
    KIOSK_APP['5.2.0'],
  );
  at(day(3, '16:20'), () => upload(pipeline, KIOSK_APP['5.3.0']));
  // Waits for a person before each wave; one has let the second begin.
  const confirmed = rollout(
    day(2, '11:00'),
    priya,
    { Name: 'Kiosk app 5.3.0', DeviceGroup: 'kiosks', Advance: 'confirm' },
    KIOSK_APP['5.3.0'],
  );
  confirmed(day(1, '10:30'), mara, 'advance', 'The first kiosks run well');

  // ---- Firmware 2.4.0, which is under way ---------------------------------------------------------------------------
  at(day(5, '15:10'), () => upload(pipeline, FIRMWARE['2.4.0']));
  rollout(
    hoursAgo(5.5),
    priya,
    {
      Name: 'Firmware 2.4.0 for the cameras',
      DeviceGroup: 'cameras',
      Waves: [{ Percent: 10 }, { Percent: 30 }, { Percent: 70 }, { Percent: 100 }],
      Gate: { ...GATE, SuccessPercent: 60 },
      PauseAfter: { FailedCount: 3 },
      IncludeNew: true,
    },
    FIRMWARE['2.4.0'],
  );
  at(hoursAgo(1), () => silenceCameras(tom, end + 2 * HOUR));
  at(hoursAgo(0.6), async () => {
    await mara.send('POST', '/v1/rollout', {
      Name: 'Report of the sensors',
      DeviceGroup: 'sensors',
      Waves: WAVES,
      Gate: GATE,
      PauseAfter: { FailedPercent: 20 },
      Advance: 'auto',
      StartTime: new Date(midnight(end) + DAY + 2 * HOUR).toISOString(),
      ...idOf(REPORT),
    });
  });
  return steps.toSorted((one, other) => one.at - other.at);
}
