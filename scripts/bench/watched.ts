// Work on the service while somebody uses it: what it costs the service, and how long the others wait.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { MeasuredService } from './measured-service.ts';

/**
 * Does the work while somebody asks for pages of devices. `waits`: how long each took; `used`: processor time of the
 * service, of those pages too; `peak`: the most memory that it had until the end.
 */
export async function watched<T>(service: MeasuredService, work: () => Promise<T>) {
  const { url, headers } = service;
  const user = new Worker(new URL('waiting-user.ts', import.meta.url), { workerData: { url, headers } });
  const answered = once(user, 'message') as Promise<[waits: number[]]>;
  const before = await service.send('processor', null);
  const begun = performance.now();
  const result = await work();
  const elapsed = performance.now() - begun;
  user.postMessage('over');
  const [waits] = await answered;
  const after = await service.send('processor', null);
  const { peak } = await service.send('memory', null);
  return { result, elapsed, waits, used: after.used - before.used, peak };
}
