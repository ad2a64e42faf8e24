// The devices of a deploy by customer and site, largest first.
import type { Device } from '#/contract/devices.ts';

export interface Site {
  customer: string;
  site: string;
  devices: Device[];
  offline: number;
}

/** Undefined if no device has a customer or site. */
export function sitesOf(devices: readonly Device[]): Site[] | undefined {
  if (!devices.some(({ CustomerName, CustomerSite }) => CustomerName !== undefined || CustomerSite !== undefined))
    return undefined;
  const groups = Map.groupBy(
    devices,
    ({ CustomerName, CustomerSite }) => `${CustomerName ?? ''}\n${CustomerSite ?? ''}`,
  );
  const sites = Array.from(groups.values(), (members): Site => {
    const [{ CustomerName: customer = '', CustomerSite: site = '' } = {}] = members as Partial<Device>[];
    const offline = members.filter(({ DeviceStatus }) => DeviceStatus !== 'Online').length;
    return { customer, site, devices: members, offline };
  });
  return sites.sort(
    (one, two) =>
      two.devices.length - one.devices.length ||
      one.customer.localeCompare(two.customer) ||
      one.site.localeCompare(two.site),
  );
}

/** "Acme · Harbour" */
export const siteText = ({ customer, site }: Pick<Site, 'customer' | 'site'>): string =>
  [customer, site].filter(Boolean).join(' · ') || 'No customer or site';
