// What an edit changed: only that is sent, so that two people's edits of different fields do not undo each other.
import type { Device, DeviceChange } from '#/contract/devices.ts';

export const EDITABLE = ['DeviceName', 'DeviceGroup', 'CustomerName', 'CustomerSite'] as const;
export type EditableField = (typeof EDITABLE)[number];

export const FIELD_LABELS: Record<EditableField, string> = {
  DeviceName: 'Name',
  DeviceGroup: 'Group',
  CustomerName: 'Customer',
  CustomerSite: 'Site',
};

/** The initial values of a form. A field that the service does not report is empty. */
export function editableValues(device: Device): Record<EditableField, string> {
  const { DeviceName, DeviceGroup, CustomerName = '', CustomerSite = '' } = device;
  return { DeviceName, DeviceGroup, CustomerName, CustomerSite };
}

/** The changed fields, trimmed; leading and trailing blanks are no change. */
export function changedFields(device: Device, values: Record<EditableField, string>): DeviceChange {
  const before = editableValues(device);
  const change: DeviceChange = {};
  for (const field of EDITABLE) {
    const value = values[field].trim();
    if (value !== before[field].trim()) change[field] = value;
  }
  return change;
}
