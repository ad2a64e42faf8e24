// The service as a program: the environment in, signals obeyed, a few lines printed.
import { ConfigError } from './config.ts';
import { startService } from './service.ts';

try {
  const service = await startService(process.env);
  console.log(`Muster is at ${service.url}`);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void service.close());
} catch (cause) {
  if (!(cause instanceof ConfigError)) throw cause;
  console.error(cause.message);
  process.exitCode = 1;
}
