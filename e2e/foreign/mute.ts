// A service that reports no outcome, neither a state nor an exit code nor what a job ran, and that knows the parts of a job
// only in their list.
import { startForeign, type Foreign } from './foreign.ts';

const DEVICES = ['mill-1', 'mill-2', 'mill-3'].map((DeviceName, index) => ({
  DeviceId: `m${index + 1}`,
  DeviceName,
  DeviceGroup: 'mills',
  DeviceStatus: 'Online',
}));

interface MuteJob {
  JobId: string;
  JobName: string;
  DeviceId: string;
  DeviceName?: string | undefined;
  StartTime: string;
  EndTime: string;
  Result: string;
}

/** As the document writes times, so many seconds ago. */
const ago = (seconds: number) => {
  const [, day = '', month, year, time] =
    /, (\d+) (\w+) (\d+) (\S+)/.exec(new Date(Date.now() - seconds * 1000).toUTCString()) ?? [];
  return `${month} ${Number(day)}, ${year}, ${time} UTC`;
};

const row = (JobId: string, JobName: string, DeviceId = '', Result = ''): MuteJob => ({
  JobId,
  JobName,
  DeviceId,
  ...(DeviceId && { DeviceName: DEVICES.find((each) => each.DeviceId === DeviceId)?.DeviceName }),
  StartTime: ago(60),
  EndTime: ago(30),
  Result,
});

const partsOf = (name: string, results: string[]) =>
  results.map((result, index) => row(`${name}-m${index + 1}`, name, `m${index + 1}`, result));

export const startMute = (): Promise<Foreign> => {
  const parts = new Map([
    ['silent', partsOf('silent', ['', '', ''])],
    ['wordy', partsOf('wordy', ['copied\nUpdate complete', 'error: no space left on device', ''])],
  ]);
  const jobs = [row('silent', 'silent'), row('wordy', 'wordy')];
  return startForeign(({ method, url, body }, response) => {
    const json = (value: unknown) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    const [path = '', query = ''] = url.split('?');
    const [, id = '', below] = /^\/v1\/job\/([^/]+)(\/childjobs)?$/.exec(path) ?? [];
    if (method === 'GET' && below) return json(parts.get(id) ?? []);
    const job = jobs.find(({ JobId }) => JobId === id);
    if (method === 'GET' && job) return json(job);
    if (method === 'GET' && /^\/v1\/devices\/1\/\d+(\/filters)?$/.test(path)) {
      const asked = new URLSearchParams(query);
      return json(DEVICES.filter(({ DeviceId }) => DeviceId.includes(asked.get('device_id') ?? '')));
    }
    switch (`${method} ${path}`) {
      case 'GET /v1/account':
        return json({ UserEmail: 'mute@example.com', PlanMaxDeviceLimit: 50, NumDevicesAdded: 3 });
      case 'GET /v1/artifact':
        return json(['1', '2', '3'].map((Version) => ({ ArtifactId: `a${Version}`, Name: 'mill.tar.gz', Version })));
      case 'GET /v1/devices/location':
      case 'GET /v1/workflow':
      case 'GET /v1/tunnels':
        return json([]);
      case 'GET /v1/job':
        return json(jobs);
      case 'POST /v1/job': {
        const { Name, DeviceId } = JSON.parse(body.toString()) as { Name: string; DeviceId: string };
        jobs.push(row(`new-${jobs.length}`, Name, DeviceId));
        return json({ JobId: jobs.at(-1)?.JobId });
      }
    }
    return undefined;
  });
};
