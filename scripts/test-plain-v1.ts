// A /v1 service of another maker, in memory: what the document asks for and no more, its jobs run when a test says so.
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';

export interface PlainJob {
  JobId: string;
  JobName: string;
  DeviceId: string;
  StartTime: string;
  EndTime: string;
  Result: string;
  ExitCode?: number;
}

/**
 * `lost`: it is not done, and the connection ends. `cut`: it is done, and the connection ends. `hang`: done, no answer.
 * `held`: neither done nor answered, see `held`.
 */
export type Trouble = 'lost' | 'cut' | 'hang' | 'held' | { status: number; retryAfter?: string };

interface PlainRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

const TIME = 'Nov 23, 2026, 14:00:00 UTC';
export const OPERATOR = 'operator-token-0123456789';
export const COLLEAGUE = 'colleague-token-0123456789';
export const STRANGER = 'stranger-token-0123456789';

export class PlainV1 {
  readonly devices: { DeviceId: string; DeviceName: string; DeviceGroup: string; DeviceStatus: string }[];
  readonly jobs: PlainJob[] = [];
  /** Method and path of what was asked. */
  readonly asked: string[] = [];
  readonly accounts = new Map([
    [OPERATOR, 'ops@example.com'],
    [COLLEAGUE, 'ops@example.com'],
    [STRANGER, 'other@example.com'],
  ]);
  /** What goes wrong with each next submission. */
  readonly troubles: Trouble[] = [];
  /** Submissions that are held: what ends their connection, and what carries them out, in any order. */
  readonly held: { cut: () => void; act: () => void }[] = [];
  /** Each job runs as soon as somebody looks. */
  runs = false;

  constructor(devices: number) {
    this.devices = Array.from({ length: devices }, (_, at) => ({
      DeviceId: `d${at + 1}`,
      DeviceName: `pump ${at + 1}`,
      DeviceGroup: 'pumps',
      DeviceStatus: 'Online',
    }));
  }

  finish(job: PlainJob | undefined, ExitCode?: number): void {
    if (job) Object.assign(job, { StartTime: TIME, EndTime: TIME, ...(ExitCode !== undefined && { ExitCode }) });
  }

  begin(job: PlainJob | undefined): void {
    if (job) job.StartTime = TIME;
  }

  readonly answer = ({ method, url, headers, body }: PlainRequest, response: ServerResponse): void => {
    const { pathname, searchParams } = new URL(url, 'http://x');
    this.asked.push(`${method} ${pathname}`);
    const email = this.accounts.get(headers.authorization?.replace('Bearer ', '') ?? '');
    if (email === undefined) return void response.writeHead(401).end(`unknown token ${headers.authorization}`);
    const json = (value: unknown) => void response.end(JSON.stringify(value));
    const missing = () => void response.writeHead(404).end('404 page not found');
    const page = /^\/v1\/devices\/(\d+)\/(\d+)(\/filters)?$/.exec(pathname);
    if (page) {
      const rows = this.devices.filter(
        ({ DeviceId, DeviceGroup }) =>
          DeviceId.includes(searchParams.get('device_id') ?? '') &&
          DeviceGroup.startsWith(searchParams.get('device_group') ?? ''),
      );
      const at = (Number(page[1]) - 1) * Number(page[2]);
      const Devices = rows.slice(at, at + Number(page[2]));
      return json(page[3] ? Devices : { Devices, TotalNumDevices: rows.length });
    }
    if (pathname === '/v1/account')
      return json({ UserEmail: email, PlanMaxDeviceLimit: 50, NumDevicesAdded: this.devices.length });
    if (pathname.startsWith('/v1/artifact')) {
      const artifact = { ArtifactId: 'a1', Name: 'pump.sh', Version: '2.0.0', CreatedTime: '2026-11-23T10:00:00Z' };
      if (pathname === '/v1/artifact') return json([artifact]);
      return pathname === '/v1/artifact/a1' ? json(artifact) : missing();
    }
    if (method === 'POST' && pathname === '/v1/job') return this.submit(body.toString(), response);
    if (this.runs) for (const each of this.jobs) if (each.EndTime === '') this.finish(each, 0);
    if (pathname === '/v1/job') return json(this.jobs);
    const at = this.jobs.findIndex(({ JobId }) => pathname === `/v1/job/${JobId}`);
    if (at === -1) return missing();
    if (method === 'DELETE') return void (this.jobs.splice(at, 1), response.end());
    return json(this.jobs[at]);
  };

  private submit(body: string, response: ServerResponse): void {
    const trouble = this.troubles.shift();
    if (typeof trouble === 'object')
      return void response
        .writeHead(trouble.status, { ...(trouble.retryAfter && { 'retry-after': trouble.retryAfter }) })
        .end('not now');
    const { Name, DeviceId } = JSON.parse(body) as { Name: string; DeviceId: string };
    const JobId = `j${this.asked.length}`;
    const job = { JobId, JobName: Name, DeviceId, StartTime: '', EndTime: '', Result: '' };
    if (trouble === 'held')
      return void this.held.push({ cut: () => void response.destroy(), act: () => void this.jobs.push(job) });
    if (trouble !== 'lost') this.jobs.push(job);
    if (trouble === 'lost' || trouble === 'cut') return void response.destroy();
    if (trouble !== 'hang') response.end(JSON.stringify({ JobId }));
  }
}
