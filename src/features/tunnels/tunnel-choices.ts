// What the dialog that opens a tunnel offers, checks and makes: destinations, times, logins and commands.
import type { Device } from '#/contract/devices.ts';
import type { NewTunnel, Tunnel, TunnelDraft } from '#/contract/tunnels.ts';
import {
  ALLOWS_LOOPBACK,
  ALLOWS_NONE,
  allows,
  parseAllowance,
  parseDestination,
  type Destination,
} from '#/contract/tunnel-allowance.ts';
import { sshCommand } from './tunnel-address.ts';

export const SERVICES = [
  { value: 'web', label: 'Web', scheme: 'http', port: 80 },
  { value: 'ssh', label: 'SSH', scheme: 'tcp', port: 22 },
  { value: 'tcp', label: 'TCP', scheme: 'tcp', port: 5432 },
] as const;
export type Service = (typeof SERVICES)[number]['value'];

const serviceOf = (value: string) => SERVICES.find((each) => each.value === value) ?? SERVICES[0];
export const usualPort = (service: string): string => String(serviceOf(service).port);
export const isWeb = (service: string): boolean => serviceOf(service).scheme === 'http';

export const ENDS = [
  { value: '15', label: '15 minutes' },
  { value: '60', label: '1 hour' },
  { value: '480', label: '8 hours' },
  { value: '1440', label: '1 day' },
  { value: '10080', label: '7 days' },
];
export const IDLES = [
  { value: '', label: 'No' },
  { value: '5', label: 'After 5 minutes' },
  { value: '15', label: 'After 15 minutes' },
  { value: '60', label: 'After 1 hour' },
];

/** What is chosen and typed, as text. `Login` and `Public` are '' unless checked. */
export type TunnelChoice = Record<
  'DeviceId' | 'Service' | 'Host' | 'Port' | 'LocalDest' | 'Login' | 'Public' | 'ExpiresMinutes' | 'IdleMinutes',
  string
>;

export function destinationOf({ Service: service, Host, Port }: TunnelChoice): string {
  const host = Host.trim();
  // IPv6 without brackets.
  const written = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return `${serviceOf(service).scheme}://${written}:${Port.trim()}`;
}

export function draftOf(choice: TunnelChoice, login: Login): TunnelDraft {
  const { DeviceId, Service: service, Login: asks, ExpiresMinutes, IdleMinutes } = choice;
  return {
    DeviceId,
    LocalDest: destinationOf(choice),
    ...(isWeb(service) && asks !== '' && { Login: `${login.user}:${login.password}` }),
    ExpiresMinutes: Number(ExpiresMinutes),
    ...(IdleMinutes !== '' && { IdleMinutes: Number(IdleMinutes) }),
  };
}

/** The destinations that tunnels of this device already lead to, one of each. */
export function knownServices(tunnels: readonly Tunnel[], deviceId: string): Destination[] {
  const found = new Map<string, Destination>();
  for (const { DeviceId, LocalDest } of tunnels) {
    const destination = DeviceId === deviceId ? parseDestination(LocalDest) : undefined;
    if (destination) found.set(destination.dest, destination);
  }
  return [...found.values()];
}

/** What is chosen for a known destination. */
export const choiceOf = ({ protocol, host, port }: Destination): Pick<TunnelChoice, 'Service' | 'Host' | 'Port'> => ({
  Service: protocol === 'HTTP' ? 'web' : port === 22 || port === 2222 ? 'ssh' : 'tcp',
  Host: host,
  Port: String(port),
});

export interface Refusal {
  /** What the device allows instead. */
  text: string;
  /** What its agent would have to be told, as the argument of a command. */
  list: string;
}

/** Why a device does not allow a destination; undefined if it does, or if it is no destination yet. */
export function refusalOf(device: Pick<Device, 'TunnelsAllowed'>, dest: string): Refusal | undefined {
  const { TunnelsAllowed: allowed = ALLOWS_NONE } = device;
  const destination = parseDestination(dest);
  const allowance = parseAllowance(allowed);
  if (!destination || (allowance && allows(allowance, destination))) return undefined;
  const loopback = parseAllowance(ALLOWS_LOOPBACK);
  const isOwn = loopback !== undefined && allows(loopback, destination);
  const { host, port } = destination;
  const needed = isOwn ? ALLOWS_LOOPBACK : `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return {
    text:
      allowance && allowed !== ALLOWS_NONE ? `It allows only ${allowed}.` : 'It allows none to be opened from here.',
    list: allowance && allowed !== ALLOWS_NONE ? `${allowed},${needed}` : needed,
  };
}

export interface Login {
  user: string;
  password: string;
}

/** Neither characters that look alike, nor any that a shell or a URL would take for something else. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';
const GROUPS = 4;
const IN_GROUP = 5;

/** A password of 99 random bits. */
export function newLogin(): Login {
  const letters: string[] = [];
  while (letters.length < GROUPS * IN_GROUP)
    for (const byte of crypto.getRandomValues(new Uint8Array(32))) {
      // A multiple of their number, so that each letter is as likely as the others.
      const letter = byte < LETTERS.length * 8 ? LETTERS[byte % LETTERS.length] : undefined;
      if (letter !== undefined && letters.length < GROUPS * IN_GROUP) letters.push(letter);
    }
  const password = Array.from({ length: GROUPS }, (_, at) =>
    letters.slice(at * IN_GROUP, (at + 1) * IN_GROUP).join(''),
  );
  return { user: 'visitor', password: password.join('-') };
}

/** The commands for an opened tunnel, ready to paste. */
export function commandsFor(opened: NewTunnel, draft: TunnelDraft): { label: string; command: string }[] {
  const { PublicUrl, PublicAddr } = opened;
  if (/^http:/i.test(draft.LocalDest)) {
    const login = draft.Login === undefined ? '' : `-u ${draft.Login} `;
    return [{ label: 'With curl', command: `curl ${login}${PublicUrl}` }];
  }
  const ssh = sshCommand({ PublicUrl, PublicAddr, LocalDest: draft.LocalDest });
  return ssh ? [{ label: 'With ssh', command: ssh }] : [];
}
