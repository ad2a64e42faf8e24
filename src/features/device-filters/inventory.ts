// Everything a service knows of a device beside the fields that are shown elsewhere, as names and values.
import type { Device } from '#/contract/devices.ts';

/** Shown elsewhere on the page. */
const PLACED = new Set([
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
  'AgentUpdate',
  'AgentProblem',
  'AgentProblemText',
  'AgentProblemTime',
]);

const LABELS: Record<string, string> = {
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
};

/** Whether a field has no place of its own. */
export const isInventory = (field: string): boolean => !PLACED.has(field);
/** What a field of the inventory is called. */
export const inventoryLabel = (field: string): string => LABELS[field] ?? field;

export interface InventoryRow {
  label: string;
  value: string;
}

/** The known fields in a fixed order, then the others, under the service's own names. Empty ones are left out. */
export function inventoryOf(device: Device): InventoryRow[] {
  const known = Object.keys(LABELS);
  const others = Object.keys(device).filter((name) => !PLACED.has(name) && !known.includes(name));
  return [...known, ...others.sort()].flatMap((name) => {
    // It has a part of its own on the page.
    if (name === 'AgentVersion' && device.AgentUpdate !== undefined) return [];
    const value: unknown = device[name];
    if (value === undefined || value === null || value === '') return [];
    return [{ label: inventoryLabel(name), value: typeof value === 'string' ? value : JSON.stringify(value) }];
  });
}

/** "192.168.1.20:22", or what of it is known. */
export const addressOf = ({ LocalAddr, LocalPort }: Pick<Device, 'LocalAddr' | 'LocalPort'>): string =>
  [LocalAddr.includes(':') && LocalPort ? `[${LocalAddr}]` : LocalAddr, LocalPort].filter(Boolean).join(':');
