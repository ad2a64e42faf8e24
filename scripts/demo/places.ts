// The cities of the demo's devices.
export interface City {
  name: string;
  /** In degrees. */
  lat: number;
  lng: number;
  /** The difference of its time to UTC. */
  hours: number;
}

export const CITIES: readonly City[] = [
  { name: 'Amsterdam', lat: 52.37, lng: 4.9, hours: 1 },
  { name: 'Athens', lat: 37.98, lng: 23.73, hours: 2 },
  { name: 'Auckland', lat: -36.85, lng: 174.76, hours: 13 },
  { name: 'Austin', lat: 30.27, lng: -97.74, hours: -6 },
  { name: 'Bengaluru', lat: 12.97, lng: 77.59, hours: 5.5 },
  { name: 'Berlin', lat: 52.52, lng: 13.4, hours: 1 },
  { name: 'Bogotá', lat: 4.71, lng: -74.07, hours: -5 },
  { name: 'Cape Town', lat: -33.92, lng: 18.42, hours: 2 },
  { name: 'Chicago', lat: 41.88, lng: -87.63, hours: -6 },
  { name: 'Dubai', lat: 25.2, lng: 55.27, hours: 4 },
  { name: 'Dublin', lat: 53.35, lng: -6.26, hours: 0 },
  { name: 'Hamburg', lat: 53.55, lng: 9.99, hours: 1 },
  { name: 'Helsinki', lat: 60.17, lng: 24.94, hours: 2 },
  { name: 'Istanbul', lat: 41.01, lng: 28.98, hours: 3 },
  { name: 'Jakarta', lat: -6.21, lng: 106.85, hours: 7 },
  { name: 'Lagos', lat: 6.52, lng: 3.38, hours: 1 },
  { name: 'Lima', lat: -12.05, lng: -77.04, hours: -5 },
  { name: 'Lisbon', lat: 38.72, lng: -9.14, hours: 0 },
  { name: 'London', lat: 51.51, lng: -0.13, hours: 0 },
  { name: 'Madrid', lat: 40.42, lng: -3.7, hours: 1 },
  { name: 'Mexico City', lat: 19.43, lng: -99.13, hours: -6 },
  { name: 'Milan', lat: 45.46, lng: 9.19, hours: 1 },
  { name: 'Mumbai', lat: 19.08, lng: 72.88, hours: 5.5 },
  { name: 'Munich', lat: 48.14, lng: 11.58, hours: 1 },
  { name: 'Nairobi', lat: -1.29, lng: 36.82, hours: 3 },
  { name: 'New York', lat: 40.71, lng: -74.01, hours: -5 },
  { name: 'Osaka', lat: 34.69, lng: 135.5, hours: 9 },
  { name: 'Oslo', lat: 59.91, lng: 10.75, hours: 1 },
  { name: 'Paris', lat: 48.86, lng: 2.35, hours: 1 },
  { name: 'Perth', lat: -31.95, lng: 115.86, hours: 8 },
  { name: 'Reykjavík', lat: 64.15, lng: -21.94, hours: 0 },
  { name: 'San Francisco', lat: 37.77, lng: -122.42, hours: -8 },
  { name: 'Santiago', lat: -33.45, lng: -70.67, hours: -3 },
  { name: 'São Paulo', lat: -23.55, lng: -46.63, hours: -3 },
  { name: 'Seoul', lat: 37.57, lng: 126.98, hours: 9 },
  { name: 'Singapore', lat: 1.35, lng: 103.82, hours: 8 },
  { name: 'Sydney', lat: -33.87, lng: 151.21, hours: 11 },
  { name: 'Taipei', lat: 25.03, lng: 121.57, hours: 8 },
  { name: 'Tokyo', lat: 35.68, lng: 139.65, hours: 9 },
  { name: 'Toronto', lat: 43.65, lng: -79.38, hours: -5 },
  { name: 'Vienna', lat: 48.21, lng: 16.37, hours: 1 },
  { name: 'Warsaw', lat: 52.23, lng: 21.01, hours: 1 },
];

/** Where more devices are than elsewhere. */
const LARGE = ['Hamburg', 'Singapore', 'Hamburg', 'Chicago', 'São Paulo'];
export const DEPOTS: readonly City[] = LARGE.flatMap((large) => CITIES.filter(({ name }) => name === large));

export const KINDS: [group: string, name: string][] = [
  ['cameras', 'camera'],
  ['gateways', 'gateway'],
  ['kiosks', 'kiosk'],
  ['sensors', 'sensor'],
];

export const CUSTOMERS = ['Harbour Light', 'Kestrel Foods', 'Meridian Rail', 'Orchard Bank', 'Tidewater'];
