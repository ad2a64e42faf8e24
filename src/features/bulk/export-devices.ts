// Writes devices to a CSV file in chunks, so that the page stays responsive.
import { useEffect, useRef, useState } from 'react';
import type { Device } from '#/contract/devices.ts';
import { csvLine, csvText } from '#/contract/csv.ts';
import type { DeviceColumns } from '#/features/device-filters/device-columns.ts';
import { nextTask } from '#/lib/pace.ts';
import { datedName, saveFile } from '#/lib/save-file.ts';

/** Rows per task. */
const PORTION = 500;

interface DeviceExport {
  columns: DeviceColumns;
  count: number;
  at: (index: number) => Device;
  /** Cancels the export. */
  signal?: AbortSignal;
  onProgress?: (written: number) => void;
}

/** The file in chunks; undefined if the export was cancelled. */
export async function devicesCsv(request: DeviceExport): Promise<string[] | undefined> {
  const { columns, count, at, signal, onProgress } = request;
  const parts = [csvText([columns.head])];
  for (let start = 0; start < count; start += PORTION) {
    if (signal?.aborted) return undefined;
    const end = Math.min(start + PORTION, count);
    let portion = '';
    for (let index = start; index < end; index++) portion += csvLine(columns.row(at(index)));
    parts.push(portion);
    onProgress?.(end);
    await nextTask();
  }
  return parts;
}

/**
 * One export at a time, cancelled when its dialog closes. `written`: rows so far, undefined while no export runs.
 * `error`: why the export failed.
 */
export function useDeviceExport() {
  const [written, setWritten] = useState<number>();
  const [error, setError] = useState<Error | null>(null);
  const cancel = useRef(new AbortController());
  useEffect(() => () => cancel.current.abort(), []);
  const start = async (request: Pick<DeviceExport, 'columns' | 'count' | 'at'>): Promise<boolean> => {
    cancel.current = new AbortController();
    setWritten(0);
    setError(null);
    try {
      const parts = await devicesCsv({ ...request, signal: cancel.current.signal, onProgress: setWritten });
      if (parts) saveFile(datedName('devices'), parts);
      return parts !== undefined;
    } catch (cause) {
      setError(cause instanceof Error ? cause : new Error(String(cause)));
      return false;
    } finally {
      setWritten(undefined);
    }
  };
  return { written, error, start };
}
