// Sample devices and their locations, in the API's format; the same in each run.
import type { Device } from '#/contract/devices.ts';

/** A location in the API's format. */
export interface Location {
  DeviceId: string;
  Lat: number;
  Lng: number;
}

/** A device as our own service lists it. */
export function sampleDevice(n: number): Device {
  const hash = (Math.imul(n + 1, 2_654_435_761) >>> 0).toString(16).padStart(8, '0');
  return {
    DeviceId: `${hash}-4000-8000-${String(n).padStart(12, '0')}`,
    DeviceName: `camera-${(n * 7919) % 100_003}`,
    DeviceGroup: `group-${n % 40}`,
    LocalAddr: `10.${n % 4}.${(n >> 8) % 250}.${n % 250}`,
    LocalPort: String(40_000 + (n % 2000)),
    DeviceStatus: n % 5 === 0 ? 'Offline' : 'Online',
    CustomerName: `Customer ${n % 300}`,
    CustomerSite: `Site ${n % 2000}`,
    CreatedTime: new Date(1.7e12 + n * 60_000).toISOString(),
    LastSeenTime: new Date(1.75e12 + ((n * 7919) % 1_000_000) * 1000).toISOString(),
    AgentVersion: `1.${n % 7}.0`,
    SysOS: 'linux',
    SysArch: n % 3 === 0 ? 'arm64' : 'x64',
    SysHostname: `host-${n}`,
    Tags: Array.from({ length: n % 3 }, (_, i) => ({ TagId: `t${(n + i) % 12}`, TagName: `tag ${(n + i) % 12}` })),
  };
}

/** Locations around some cities and anywhere. */
export function scatter(count: number): Location[] {
  let seed = 12_345;
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  const cities = Array.from({ length: 300 }, () => ({ lat: random() * 120 - 55, lng: random() * 360 - 180 }));
  return Array.from({ length: count }, (_, i) => {
    const city = cities[Math.floor(random() * cities.length)];
    const near = city && random() < 0.9;
    return {
      DeviceId: `device-${i}`,
      Lat: near ? city.lat + (random() - 0.5) * 0.4 : random() * 160 - 80,
      Lng: near ? city.lng + (random() - 0.5) * 0.4 : random() * 360 - 180,
    };
  });
}
