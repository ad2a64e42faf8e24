// The document and nothing else, as one that is in use: a fleet, and a job to a group that failed on most of it. Any path
// that the document does not have is a 404.
import { startForeign, type Foreign } from './foreign.ts';

const DEVICES = Array.from({ length: 10 }, (_, index) => ({
  DeviceId: `p${index + 1}`,
  DeviceName: `press-${index + 1}`,
  DeviceGroup: 'hall',
  DeviceStatus: 'Online',
}));
const FAILED = 8;

/** As the document writes times, so many seconds ago. */
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString().replace('T', ' ').slice(0, 19);

export const startPlain = (tags?: object[]): Promise<Foreign> => {
  const job = { JobId: 'pj', JobName: 'update', DeviceId: '', DeviceGroup: 'hall', Command: 'sh update.sh' };
  const times = { StartTime: ago(120), EndTime: ago(60) };
  const parent = { ...job, ...times, Result: '' };
  const children = DEVICES.map(({ DeviceId, DeviceName }, index) => ({
    ...job,
    ...times,
    JobId: `pj-${DeviceId}`,
    DeviceId,
    DeviceName,
    Status: 'EXECUTED',
    ExitCode: index < FAILED ? 28 : 0,
    Result: index < FAILED ? 'no room' : 'done',
  }));
  const jobs = [parent, ...children];
  return startForeign(({ method, url, body }, response) => {
    const json = (value: unknown) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    const [path = ''] = url.split('?');
    if (`${method} ${path}` === 'POST /v1/workflow') return json({ WorkflowId: 'pw' });
    if (method !== 'GET') return undefined;
    const page = /^\/v1\/devices\/(\d+)\/\d+(\/filters)?$/.exec(path);
    if (page) {
      const asked = new URLSearchParams(url.split('?')[1]);
      const found = DEVICES.filter(
        (row) =>
          row.DeviceId.includes(asked.get('device_id') ?? '') &&
          row.DeviceName.includes(asked.get('device_name') ?? ''),
      );
      const rows = page[1] === '1' ? found : [];
      return json(page[2] ? rows : { Devices: rows, TotalNumDevices: DEVICES.length });
    }
    const one = jobs.find(({ JobId }) => path === `/v1/job/${JobId}`);
    if (one) return json(one);
    switch (path) {
      case '/v1/account':
        return json({ UserEmail: 'plain@example.com', PlanMaxDeviceLimit: 50, NumDevicesAdded: DEVICES.length });
      case '/v1/devices':
        return json(DEVICES.filter(({ DeviceId }) => body.includes(`"${DeviceId}"`)));
      case '/v1/devices/location':
        return json([{ DeviceId: 'p1', Lat: 47.4, Lng: 8.5 }]);
      case '/v1/artifact':
        return json([{ ArtifactId: 'pa', Name: 'update.sh', Version: '2' }]);
      case '/v1/workflow':
        return json([]);
      case '/v1/tunnels':
        return json([{ Name: 't1', PublicUrl: 'N/A', Protocol: 'TCP', LocalDest: 'tcp://127.0.0.1:22' }]);
      case '/v1/job':
        return json([parent]);
      case '/v1/job/pj/childjobs':
        return json(children);
      case '/v1/tag':
        return tags && json(tags);
    }
    return undefined;
  });
};
