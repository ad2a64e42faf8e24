// The inventory of a device: all fields that are not shown elsewhere.
import type { Device } from '#/contract/devices.ts';
import { factOf } from './fact-words.ts';

/** The fields that have a named column in a file. */
export const NAMED: readonly string[] = [
  'DeviceId',
  'DeviceName',
  'DeviceGroup',
  'DeviceStatus',
  'CustomerName',
  'CustomerSite',
  'LocalAddr',
  'LocalPort',
  'LastSeenTime',
  'CreatedTime',
  'Tags',
];
/** Shown elsewhere on the page of a device. */
const SHOWN = new Set([
  ...NAMED,
  'AgentUpdate',
  'AgentProblem',
  'AgentProblemText',
  'AgentProblemTime',
  'KeyRotation',
  'KeyProblem',
]);

const LABELS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    SysHostname: 'Host name',
    SysOS: 'System',
    SysPlatform: 'Platform',
    SysKernelVersion: 'Kernel',
    SysArch: 'Architecture',
    SysCpuModel: 'Processor',
    SysTotalMemory: 'Memory',
    SysTotalDisk: 'Disk',
    SysMacAddress: 'MAC address',
    AgentVersion: 'Agent version',
    TunnelsAllowed: 'Tunnels allowed',
  }),
);

export const isInventory = (field: string): boolean => !SHOWN.has(field);
export const inventoryLabel = (field: string): string => {
  const fact = factOf(field);
  return fact === undefined ? (LABELS.get(field) ?? field) : `Fact ${fact}`;
};

/** The value of any field; empty for none. */
export const valueText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);

/** The known fields in a fixed order, then the others, under the service's own names. Empty ones are left out. */
export function inventoryOf(device: Device): { label: string; value: string }[] {
  const known = [...LABELS.keys()];
  const others = Object.keys(device).filter((name) => isInventory(name) && !known.includes(name));
  return [...known, ...others.sort()].flatMap((name) => {
    // The page has a section about the agent.
    if (name === 'AgentVersion' && device.AgentUpdate !== undefined) return [];
    const value = valueText(device[name]);
    return value === '' ? [] : [{ label: inventoryLabel(name), value }];
  });
}

/** "192.168.1.20:22", or what of it is known. */
export const addressOf = ({ LocalAddr, LocalPort }: Pick<Device, 'LocalAddr' | 'LocalPort'>): string =>
  [LocalAddr.includes(':') && LocalPort ? `[${LocalAddr}]` : LocalAddr, LocalPort].filter(Boolean).join(':');
