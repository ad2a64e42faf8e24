// Writes devices into a CSV file, a portion at a time, so that the page goes on moving.
import type { Device, DeviceLocation } from '#/contract/devices.ts';
import { csvLine, csvText } from '#/fleet/csv.ts';
import { deviceColumns } from '#/fleet/device-columns.ts';
import { datedName, saveFile } from '#/ui/save-file.ts';

/** Rows between two turns of the page. */
const PORTION = 500;
const nextTurn = () => new Promise<void>((resolve) => void setTimeout(resolve));

interface DeviceExport {
  devices: readonly Device[];
  places: readonly DeviceLocation[];
  /** Called off: no file. */
  signal?: AbortSignal;
  /** Rows written so far. */
  onProgress?: (written: number) => void;
}

/** The file in pieces; undefined when it was called off. */
export async function devicesCsv(request: DeviceExport): Promise<string[] | undefined> {
  const { devices, places, signal, onProgress } = request;
  const { head, row } = deviceColumns(devices, places);
  const parts = [csvText([head])];
  for (let start = 0; start < devices.length; start += PORTION) {
    if (signal?.aborted) return undefined;
    const portion = devices.slice(start, start + PORTION);
    parts.push(portion.map((device) => csvLine(row(device))).join(''));
    onProgress?.(start + portion.length);
    await nextTurn();
  }
  return parts;
}

/** Writes the file and hands it to the reader. */
export async function exportDevices(request: DeviceExport): Promise<void> {
  const parts = await devicesCsv(request);
  if (parts) saveFile(datedName('devices'), parts);
}
