// Resources that the process uses, under the usual Prometheus names.
import { statfsSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Gauge } from './metrics.ts';
import { VERSION } from '../version.ts';

const NANO = 1e9;

/** Belongs to the process; its timer does not keep the process alive. */
const delay = monitorEventLoopDelay({ resolution: 20 });

/** The first call starts the measurement. */
export function processGauges(dataDir: string): Gauge[] {
  delay.enable();
  const started = Date.now() / 1000 - process.uptime();
  const disk = () => {
    const { bavail, blocks, bsize } = statfsSync(dataDir);
    return { free: bavail * bsize, size: blocks * bsize };
  };
  return [
    { name: 'muster_build_info', help: 'The version that runs.', read: () => [[`version="${VERSION}"`, 1]] },
    { name: 'process_start_time_seconds', help: 'When the process began.', read: () => [['', started]] },
    {
      name: 'process_cpu_seconds',
      help: 'CPU time used.',
      type: 'counter',
      read: () => {
        const { user, system } = process.cpuUsage();
        return [['', (user + system) / 1e6]];
      },
    },
    {
      name: 'process_resident_memory_bytes',
      help: 'Memory in use.',
      read: () => [['', process.memoryUsage.rss()]],
    },
    {
      name: 'nodejs_heap_used_bytes',
      help: 'Of it, the JavaScript heap.',
      read: () => [['', process.memoryUsage().heapUsed]],
    },
    {
      name: 'nodejs_eventloop_delay_seconds',
      help: 'How late the event loop was since the last reading.',
      read: () => {
        const quantiles: [string, number][] = ([50, 99, 100] as const).map((percent) => [
          `quantile="${percent / 100}"`,
          delay.count === 0 ? 0 : delay.percentile(percent) / NANO,
        ]);
        delay.reset();
        return quantiles;
      },
    },
    {
      name: 'muster_disk_free_bytes',
      help: 'Room on the disk that holds DATA_DIR.',
      read: () => [['', disk().free]],
    },
    { name: 'muster_disk_size_bytes', help: 'Size of that disk.', read: () => [['', disk().size]] },
  ];
}
