// A worker that asks the service for a page of devices again and again, as a person would meanwhile. In a thread of its own,
// because what the main thread does must not count as waiting.
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';

const EVERY_MS = 250;

const { url, headers } = workerData as { url: string; headers: Record<string, string> };
const waits: number[] = [];
const over = new AbortController();
parentPort?.once('message', () => over.abort());
while (!over.signal.aborted) {
  const asked = performance.now();
  const answer = await fetch(`${url}/v1/devices/1/25`, { headers });
  await answer.text();
  if (!answer.ok) throw new Error(`A page of devices was answered with ${answer.status}.`);
  waits.push(performance.now() - asked);
  await sleep(EVERY_MS);
}
parentPort?.postMessage(waits);
