// As little as the document asks for: its fields and no other, no total, no ETag, and 404 for every path that it does
// not name.
import { startForeign, type Foreign } from './foreign.ts';

const DEVICES = Array.from({ length: 30 }, (_, index) => ({
  DeviceId: `s${index + 1}`,
  DeviceName: `sensor-${String(index + 1).padStart(2, '0')}`,
  DeviceGroup: 'field',
  LocalAddr: '',
  LocalPort: '',
  DeviceStatus: index % 2 ? 'Offline' : 'Online',
}));
const JOB = {
  JobId: 'sj1',
  JobName: 'rotate logs',
  DeviceId: 's1',
  Command: 'logrotate',
  StartTime: 'Nov 2, 2026, 14:03:09 UTC',
  EndTime: '',
  Result: '',
};
/** To a group of which two devices have not come back yet. */
const TO_MANY = { ...JOB, JobId: 'sj2', JobName: 'sweep', DeviceId: '' };
const PART = { ...JOB, JobName: 'sweep', StartTime: '', Result: '' };
const PARTS = [
  { ...PART, JobId: 'sj3', DeviceId: 's1', StartTime: JOB.StartTime, EndTime: JOB.StartTime, Result: 'done' },
  { ...PART, JobId: 'sj4', DeviceId: 's2' },
  { ...PART, JobId: 'sj5', DeviceId: 's4' },
];

const TUNNELS = [
  {
    Name: 't1',
    PublicUrl: 'N/A',
    Protocol: 'TCP',
    LocalDest: 'tcp://127.0.0.1:22',
    Created: 'Nov 2 2026 2:03 PM',
    Uptime: 'N/A',
  },
  {
    Name: 't2',
    PublicUrl: 'javascript:alert(1)',
    Protocol: 'HTTP',
    LocalDest: 'http://127.0.0.1:80',
    Created: 'soon',
    Uptime: '',
  },
];

export const startStrict = (): Promise<Foreign> => {
  let tunnels = TUNNELS;
  return startForeign(({ method, url, body }, response) => {
    const json = (value: unknown) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    const [path = '', query = ''] = url.split('?');
    const page = /^\/v1\/devices\/(\d+)\/(\d+)(\/filters)?$/.exec(path);
    if (method === 'GET' && page) {
      const asked = new URLSearchParams(query);
      const at = (Number(page[1]) - 1) * Number(page[2]);
      const rows = DEVICES.filter(
        (row) =>
          row.DeviceId.includes(asked.get('device_id') ?? '') &&
          row.DeviceName.includes(asked.get('device_name') ?? ''),
      ).slice(at, at + Number(page[2]));
      return json(page[3] ? rows : { Devices: rows });
    }
    switch (`${method} ${path}`) {
      case 'GET /v1/account':
        return json({ UserEmail: 'minimal@example.com', PlanMaxDeviceLimit: 50, NumDevicesAdded: 30 });
      case 'GET /v1/devices':
        return json(DEVICES.filter(({ DeviceId }) => body.includes(`"${DeviceId}"`)));
      case 'GET /v1/devices/location':
      case 'GET /v1/artifact':
      case 'GET /v1/workflow':
        return json([]);
      case 'GET /v1/job':
        return json([JOB, TO_MANY]);
      case 'GET /v1/job/sj1':
        return json(JOB);
      case 'GET /v1/job/sj2':
        return json(TO_MANY);
      case 'GET /v1/job/sj2/childjobs':
        return json(PARTS);
      case 'GET /v1/job/sj1/childjobs':
        return json([]);
      case 'GET /v1/tunnels':
        return json(tunnels);
      case 'DELETE /v1/tunnels/t1':
        tunnels = tunnels.filter(({ Name }) => Name !== 't1');
        return void response.end();
    }
    return undefined;
  });
};
