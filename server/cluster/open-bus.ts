// The bus that the environment asks for.
import type { Bus, BusOptions } from './bus.ts';
import { openPostgresBus } from './postgres-bus.ts';

interface OpenBusOptions extends BusOptions {
  databaseUrl: URL;
  busUrl: URL | undefined;
  /** Of the subjects in NATS. */
  prefix: string;
}

export async function openBus({ databaseUrl, busUrl, prefix, ...options }: OpenBusOptions): Promise<Bus> {
  if (!busUrl) return openPostgresBus({ ...options, url: databaseUrl });
  // Only a service that uses NATS loads its code.
  const { openNatsBus } = await import('./nats-bus.ts');
  return openNatsBus({ ...options, url: busUrl, prefix });
}
