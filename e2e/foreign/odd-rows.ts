// Rows that other services send among good ones: numbers, rows without an id, halves of surrogate pairs; and tunnels whose
// names hold what a path uses itself.
import { startForeign, type Foreign } from './foreign.ts';

const device = (DeviceId: string, DeviceName: string) => ({ DeviceId, DeviceName, DeviceStatus: 'Online' });
const DEVICES = [
  device('o1', 'fan-1'),
  7,
  { DeviceName: 'without an id' },
  device('o2', 'fan-2'),
  device('\ud800', 'half'),
];
const ARTIFACTS = [{ ArtifactId: 'oa1', Name: 'fan.tar.gz', Version: '1' }, null, { Name: 'without an id' }];

/** Tunnels by name; each of the document's path parts has to arrive as one part. */
export const ODD_TUNNELS = ['lab/cam 1', '100%', 'a%2Fb', 'x?y#z'];

export const startOddRows = (): Promise<Foreign> => {
  let tunnels = ODD_TUNNELS;
  return startForeign(({ method, url }, response) => {
    const json = (value: unknown) =>
      void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    const [path = ''] = url.split('?');
    const name = /^\/v1\/tunnels\/([^/]+)$/.exec(path)?.[1];
    if (method === 'DELETE' && name !== undefined) {
      tunnels = tunnels.filter((each) => each !== decodeURIComponent(name));
      return void response.end();
    }
    if (/^\/v1\/devices\/1\/\d+(\/filters)?$/.test(path)) return json({ Devices: DEVICES });
    if (/^\/v1\/devices\/\d+\/\d+(\/filters)?$/.test(path)) return json({ Devices: null });
    switch (`${method} ${path}`) {
      case 'GET /v1/account':
        return json({ UserEmail: 'odd@example.com', PlanMaxDeviceLimit: 50, NumDevicesAdded: 5 });
      case 'GET /v1/artifact':
        return json(ARTIFACTS);
      case 'GET /v1/devices/location':
        return json([{ DeviceId: 'o1', Lat: 1, Lng: 2 }, 'no row']);
      case 'GET /v1/workflow':
      case 'GET /v1/job':
        return json(null);
      case 'GET /v1/tunnels':
        return json([
          ...['stays', ...tunnels].map((Name) => ({ Name, PublicUrl: 'N/A', Protocol: 'TCP', LocalDest: 'tcp://h:1' })),
          5,
        ]);
      case 'POST /v1/workflow':
        return json({ WorkflowId: 'ow1' });
    }
    return undefined;
  });
};
