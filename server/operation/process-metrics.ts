// Resources that the process uses, under the usual Prometheus names. prom-client's own set is not used: it walks all open
// sockets, which a service with thousands of agents should not do for each reading.
import { statfsSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter } from 'prom-client';
import { VERSION } from '../version.ts';
import { Gauges } from './metrics.ts';

const NANO = 1e9;

/** Belongs to the process; its timer does not keep the process alive. */
const delay = monitorEventLoopDelay({ resolution: 20 });

/** The first call starts the measurement. */
export function processGauges(dataDir: string): Gauges {
  delay.enable();
  const gauges = new Gauges();
  const started = Date.now() / 1000 - process.uptime();
  const disk = () => {
    const { bavail, blocks, bsize } = statfsSync(dataDir);
    return { free: bavail * bsize, size: blocks * bsize };
  };
  gauges.add('muster_build_info', 'The version that runs.', () => ({ [VERSION]: 1 }), 'version');
  gauges.add('process_start_time_seconds', 'When the process began.', () => started);
  gauges.add('process_resident_memory_bytes', 'Memory in use.', () => process.memoryUsage.rss());
  gauges.add('nodejs_heap_used_bytes', 'Of it, the JavaScript heap.', () => process.memoryUsage().heapUsed);
  const delays = () => {
    const at = (percent: number) => (delay.count === 0 ? 0 : delay.percentile(percent) / NANO);
    const percentiles = { 50: at(50), 99: at(99), 100: at(100) };
    delay.reset();
    return percentiles;
  };
  gauges.add(
    'nodejs_eventloop_delay_seconds',
    'How late the event loop was since the last reading.',
    delays,
    'percentile',
  );
  gauges.add('muster_disk_free_bytes', 'Room on the disk that holds DATA_DIR.', () => disk().free);
  gauges.add('muster_disk_size_bytes', 'Size of that disk.', () => disk().size);
  const cpu = new Counter({
    name: 'process_cpu_seconds',
    help: 'CPU time used.',
    registers: [],
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  gauges.registry.registerMetric(cpu);
  return gauges;
}
