// The devices of the demo: where they are, whose they are, and how they are created.
import { createHash } from 'node:crypto';
import { chances } from './chance.ts';
import { CITIES, CUSTOMERS, DEPOTS, KINDS } from './places.ts';
import type { City } from './places.ts';
import type { Client } from './client.ts';

export interface DemoDevice {
  index: number;
  id: string;
  key: string;
  name: string;
  group: string;
  city: City;
  customer: string;
  /** In its own network. */
  address: string;
  /** Its own series of chances. */
  chance: () => number;
}

type Place = Omit<DemoDevice, 'id' | 'key'>;

/** Devices that are created at once. */
const TOGETHER = 16;
/** One in so many has no location. */
const UNLOCATED = 12;

/** What the device with this number is. */
function placeOf(index: number): Place {
  // Every fourth is at one of the large sites, so that a bad night at one of them is seen in the whole fleet.
  const city = index % 4 === 0 ? at(DEPOTS, (index * 7) / 4) : at(CITIES, index);
  const [group, kind] = at(KINDS, Math.floor(index / 3));
  const plain = city.name
    .normalize('NFD')
    .replace(/\p{Mark}/gu, '')
    .replace(/[^a-z]+/gi, '-')
    .toLowerCase();
  const name = `${kind}-${plain}-${String(index + 1).padStart(3, '0')}`;
  const [one = 0, two = 0] = createHash('sha256').update(city.name).digest();
  return {
    index,
    name,
    group,
    city,
    customer: at(CUSTOMERS, index),
    address: `10.${one}.${two % 16}.${10 + index}`,
    chance: chances(name),
  };
}

function at<Item>(list: readonly Item[], index: number): Item {
  const item = list[index % list.length];
  if (item === undefined) throw new Error('The list is empty.');
  return item;
}

async function addDevice(client: Client, index: number): Promise<DemoDevice> {
  const place = placeOf(index);
  const { DeviceId: id, DeviceKey: key } = await client.send<{ DeviceId: string; DeviceKey: string }>(
    'POST',
    '/v1/devices',
    { DeviceName: place.name, DeviceGroup: place.group },
  );
  await client.send('PATCH', `/v1/devices/${id}`, { CustomerName: place.customer, CustomerSite: place.city.name });
  if (index % UNLOCATED !== UNLOCATED - 1) {
    // Around their city, some of them at the same spot.
    const spread = index % 5 === 0 ? 0 : 1;
    const angle = index * 2.4;
    await client.send('POST', `/v1/devices/location/${id}`, {
      Lat: place.city.lat + Math.sin(angle) * spread * 0.4,
      Lng: place.city.lng + Math.cos(angle) * spread * 0.6,
    });
  }
  return { ...place, id, key };
}

export async function addDevices(client: Client, from: number, to: number): Promise<DemoDevice[]> {
  const devices: DemoDevice[] = [];
  for (let start = from; start < to; start += TOGETHER)
    devices.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(TOGETHER, to - start) }, (_, place) => addDevice(client, start + place)),
      )),
    );
  return devices;
}
