// Loaded by each Node program of a test (`--import`): when the process that started it is gone, even by a kill, the program
// ends too.
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.channel) {
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  // Listening must not keep the process alive.
  process.channel.unref();
}
