// The devices of a deploy by customer and site, the largest first.
import type { Device } from '#/contract/devices.ts';

export interface Site {
  customer: string;
  site: string;
  devices: Device[];
  offline: number;
}

/** Undefined where the service has neither of any device. */
export function sitesOf(devices: readonly Device[]): Site[] | undefined {
  if (!devices.some(({ CustomerName, CustomerSite }) => CustomerName !== undefined || CustomerSite !== undefined))
    return undefined;
  const sites = new Map<string, Site>();
  for (const device of devices) {
    const { CustomerName: customer = '', CustomerSite: site = '', DeviceStatus } = device;
    const key = JSON.stringify([customer, site]);
    let found = sites.get(key);
    if (!found) sites.set(key, (found = { customer, site, devices: [], offline: 0 }));
    found.devices.push(device);
    if (DeviceStatus !== 'Online') found.offline++;
  }
  return [...sites.values()].sort(
    (one, two) =>
      two.devices.length - one.devices.length ||
      one.customer.localeCompare(two.customer) ||
      one.site.localeCompare(two.site),
  );
}

/** "Acme · Harbour" */
export const siteText = ({ customer, site }: Pick<Site, 'customer' | 'site'>): string =>
  [customer, site].filter(Boolean).join(' · ') || 'No customer or site';
