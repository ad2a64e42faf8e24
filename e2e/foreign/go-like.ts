// As services written in Go tend to be: empty lists are null, lists are wrapped, listings hold more than they should,
// child jobs use other names, times come in the server's own zone.
import { startForeign, type Foreign } from './foreign.ts';

export const LEAKED = 'dk_leaked_secret_of_a_device';

const device = (id: string, DeviceName: string, DeviceStatus: string, more: object = {}) => ({
  DeviceId: id,
  DeviceName,
  DeviceGroup: 'lab',
  DeviceStatus,
  DeviceKey: LEAKED,
  CustomerName: 'Acme',
  CustomerSite: 'Pune',
  CreatedTime: '2026-10-01 08:00:00',
  AgentVersion: '2.4.1',
  SysOS: 'linux',
  SysPlatform: 'debian',
  SysKernelVersion: '6.1.0',
  SysCpuModel: 'Cortex-A72',
  SysTotalMemory: '3884 MB',
  SysTotalDisk: '29 GB',
  SysMacAddress: 'dc:a6:32:00:00:01',
  ...more,
});

const DEVICES = [
  device('g1', 'press-1', 'online', { LocalAddr: '10.0.0.4', LocalPort: 443 }),
  device('g2', 'press-2', 'OFFLINE'),
  device('g3', 'press-3', 'Sleeping', { DeviceGroup: null }),
];

const job = (JobId: string, JobName: string, more: object) => ({
  JobId,
  JobName,
  DeviceId: '',
  Command: 'sh -c update',
  StartTime: 'Nov 2, 2026, 14:03:09 IST',
  EndTime: 'Nov 2, 2026, 14:04:10 IST',
  Result: '',
  Status: 'EXECUTED',
  ...more,
});
const PARENT = job('gj1', 'rollout 7', { DeviceGroup: 'lab' });
const CHILDREN = [
  { JobId: 'gc1', DeviceName: 'press-1', DeviceId: 'g1', Status: 'EXECUTED', StdOut: 'installed 7', ExitCode: '0' },
  { JobId: 'gc2', DeviceName: 'press-2', DeviceId: 'g2', Status: 'DEVICE_OFFLINE' },
  { JobId: 'gc3', DeviceName: 'press-3', Status: 'EXECUTED', Stderr: 'No space left on device', ExitCode: 1 },
  'a row that is only text',
  { Judgement: 'unheard of', Attempts: [1, 2] },
];

export const startGoLike = (): Promise<Foreign> => {
  let devices = DEVICES;
  return startForeign(({ method, url, body }, response) => {
    const json = (value: unknown) =>
      void response
        .writeHead(200, { 'content-type': 'application/json', 'set-cookie': 'portal=1' })
        .end(JSON.stringify(value));
    const [path = '', query = ''] = url.split('?');
    const asked = new URLSearchParams(query);
    switch (`${method} ${path}`) {
      case 'GET /v1/account':
        return json({ UserEmail: 'ops@acme.example', PlanMaxDeviceLimit: '10', NumDevicesAdded: devices.length });
      case 'GET /v1/devices/location':
        return json({
          Locations: [
            { DeviceId: 'g1', Lat: '18.52', Lng: '73.85' },
            { DeviceId: 'g2', Lat: 0, Lng: 0 },
            { DeviceId: 'g3', Lat: 95, Lng: 10 },
          ],
        });
      case 'GET /v1/devices':
        return json(devices.filter(({ DeviceId }) => body.includes(`"${DeviceId}"`)));
      case 'POST /v1/devices': {
        const { DeviceName = '' } = JSON.parse(body.toString()) as { DeviceName?: string };
        const DeviceId = `g${devices.length + 6}`;
        devices = [...devices, device(DeviceId, DeviceName, 'offline')];
        return json({ DeviceId, DeviceKey: 'dk_new' });
      }
      case 'GET /v1/artifact':
        return json({
          Artifacts: [
            {
              ArtifactId: 'ga1',
              Name: 'app.tar.gz',
              Version: '7',
              Size: '2048',
              IsScript: false,
              CreatedTime: '2026-11-02T09:00:00.123+05:30',
            },
          ],
        });
      case 'POST /v1/artifact':
        return json({ ArtifactId: 'ga2' });
      case 'GET /v1/workflow':
        return json(null);
      case 'GET /v1/tunnels':
        return json({ Tunnels: null, TotalNumTunnels: 0 });
      case 'GET /v1/job':
        return json({ JobList: [PARENT, job('gj2', 'undated', { StartTime: 'yesterday-ish', EndTime: '' })] });
      case 'GET /v1/job/gj1':
        return json(PARENT);
      case 'GET /v1/job/gj1/childjobs':
        return json({ ChildJobs: CHILDREN });
      case 'GET /v1/job/gj2/childjobs':
        return json(null);
      case 'POST /v1/job':
        return json({ JobId: 'gj1' });
    }
    const [, written] = /^\/v1\/devices\/(g\d+)$/.exec(path) ?? [];
    if (method === 'PATCH' && written) {
      const change = JSON.parse(body.toString()) as object;
      devices = devices.map((row) => (row.DeviceId === written ? { ...row, ...change } : row));
      return void response.end();
    }
    if (method === 'DELETE' && devices.some(({ DeviceId }) => DeviceId === written)) {
      devices = devices.filter(({ DeviceId }) => DeviceId !== written);
      return void response.end();
    }
    if (/^\/v1\/devices\/\d+\/\d+\/filters$/.test(path))
      return json({
        DeviceList: devices.filter(
          (row) =>
            row.DeviceName.includes(asked.get('device_name') ?? '') &&
            row.DeviceId.includes(asked.get('device_id') ?? '') &&
            // It knows tags, and lists no device with them.
            (!asked.has('device_tag') || (asked.get('device_tag') === 'red' && row.DeviceId === 'g1')),
        ),
      });
    if (/^\/v1\/devices\/1\/\d+$/.test(path))
      return json({ Devices: devices, TotalNumDevices: String(devices.length) });
    if (/^\/v1\/devices\/\d+\/\d+$/.test(path)) return json({ Devices: null, TotalNumDevices: String(devices.length) });
    // Whatever it does not know below a device is a page of devices.
    if (path.startsWith('/v1/device/')) return json({ Devices: null, TotalNumDevices: 0 });
    return undefined;
  });
};
