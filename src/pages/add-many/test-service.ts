// A service in memory for the tests of a run: it can refuse, lose answers, and be slow to order.
import { ApiError, refusalError } from '#/api/api-error.ts';
import type { Device } from '#/contract/devices.ts';
import type { RunApi } from './add-run.ts';
import { checkRow } from './row-check.ts';
import { newRow, type Cells, type DraftRow } from './rows.ts';

export const refused = (status: number, retryAfter: string | null = null) =>
  refusalError(status, JSON.stringify({ detail: `because ${status}` }), retryAfter);
export const lost = () => new ApiError('network', 'The service cannot be reached');

type Call = keyof RunApi;
/** What happens to a call: an error before it is carried out, or instead of its answer. */
type Trouble = (call: Call, ...args: unknown[]) => { before?: Error; instead?: Error } | undefined;

export class TestService {
  readonly devices: (Partial<Device> & { DeviceId: string; DeviceName: string; DeviceGroup: string; at?: unknown })[] =
    [];
  readonly tagNames = new Map<string, string>();
  readonly attached: string[] = [];
  readonly calls: string[] = [];
  readonly slept: number[] = [];
  trouble: Trouble = () => undefined;
  most = Number.POSITIVE_INFINITY;
  atOnce = 0;
  busiest = 0;

  private async carryOut<Answer>(call: Call, args: unknown[], work: () => Answer): Promise<Answer> {
    this.calls.push([call, ...args.map((arg) => (typeof arg === 'string' ? arg : JSON.stringify(arg)))].join(' '));
    this.busiest = Math.max(this.busiest, ++this.atOnce);
    await new Promise<void>((resolve) => void setTimeout(resolve));
    this.atOnce--;
    const { before, instead } = this.trouble(call, ...args) ?? {};
    if (before) throw before;
    const answer = work();
    if (instead) throw instead;
    return answer;
  }

  readonly api: RunApi = {
    create: (body) =>
      this.carryOut('create', [body.DeviceName], () => {
        if (this.devices.length >= this.most) throw refused(403);
        const DeviceId = `id${this.devices.length + 1}`;
        this.devices.push({ DeviceId, ...body });
        return { DeviceId, DeviceKey: `key of ${DeviceId}` };
      }),
    update: (id, change) =>
      this.carryOut(
        'update',
        [id, change],
        () =>
          void Object.assign(
            this.devices.find(({ DeviceId }) => DeviceId === id)!,
            change,
          ),
      ),
    locate: (id, at) =>
      this.carryOut(
        'locate',
        [id, at],
        () =>
          void Object.assign(
            this.devices.find(({ DeviceId }) => DeviceId === id)!,
            { at },
          ),
      ),
    attach: (id, tag) => this.carryOut('attach', [id, tag], () => void this.attached.push(`${id} ${tag}`)),
    rekey: (id) => this.carryOut('rekey', [id], () => ({ DeviceId: id, DeviceKey: `new key of ${id}` })),
    tags: () => this.carryOut('tags', [], () => [...this.tagNames].map(([TagName, TagId]) => ({ TagName, TagId }))),
    createTag: (name) => this.carryOut('createTag', [name], () => void this.tagNames.set(name, `t-${name}`)),
    named: (name) =>
      this.carryOut('named', [name], () => this.devices.filter(({ DeviceName }) => DeviceName === name) as Device[]),
    wait: (milliseconds) => {
      this.slept.push(milliseconds);
      return Promise.resolve();
    },
  };
}

export const ordered = (
  ...cells: Partial<Cells>[]
): { row: DraftRow; device: ReturnType<typeof checkRow>['device'] }[] =>
  cells.map((each) => {
    const row = newRow(each);
    return { row, device: checkRow(row).device };
  });
