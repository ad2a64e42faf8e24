// What a person has chosen to deploy, as the URL has it, and what follows from it. A kind without a value
// (`?group=`) is a choice not made yet; it keeps the kind over a reload.
import type { JobDraft } from '#/contract/job-draft.ts';
import { oneOf, optional, urlSchema, type UrlPart } from '#/ui/url/url-schema.ts';

export const TARGETS = ['device', 'group', 'tag', 'selection'] as const;
export const PAYLOADS = ['artifact', 'workflow'] as const;
export type TargetKind = (typeof TARGETS)[number];
export type PayloadKind = (typeof PAYLOADS)[number];

/** A value of one of several kinds: each kind is a parameter of its own, and one at a time is in the URL. */
const oneKindOf = <Kind extends string>(
  kinds: readonly Kind[],
  usual: Kind,
): UrlPart<{ kind: Kind; value: string }> => ({
  read: (params) => {
    const kind = kinds.find((each) => params.get(each)) ?? kinds.find((each) => params.has(each)) ?? usual;
    return { kind, value: params.get(kind) ?? '' };
  },
  write: (params, _, { kind, value }) => {
    for (const other of kinds) params.delete(other);
    params.set(kind, value);
  },
});

export const deployUrl = urlSchema({
  target: oneKindOf(TARGETS, 'device'),
  payload: oneKindOf(PAYLOADS, 'artifact'),
  /** Undefined: the suggested one. */
  name: optional,
  /** `on`: in waves. */
  waves: optional,
  /** Of the devices in the review. */
  view: oneOf(['list', 'sites', 'map'], 'list'),
  /** The job of a preflight. */
  check: optional,
});

export type DeployChoice = Pick<typeof deployUrl.defaults, 'target' | 'payload' | 'name'>;

/** What runs, as the request has it. */
export function whatOf({ payload }: DeployChoice, Name: string): Pick<JobDraft, 'Name' | 'ArtifactId' | 'WorkflowId'> {
  return { Name, ...(payload.kind === 'artifact' ? { ArtifactId: payload.value } : { WorkflowId: payload.value }) };
}

/** Where it runs, as the request has it. `ids`: the devices of a selection. */
export function bodyTargetOf(
  { kind, value }: DeployChoice['target'],
  ids: readonly string[],
): Pick<JobDraft, 'DeviceId' | 'DeviceGroup' | 'TagId' | 'DeviceIds'> {
  if (kind === 'selection') {
    const [first] = ids;
    return ids.length === 1 && first ? { DeviceId: first } : { DeviceIds: [...ids] };
  }
  return { [({ device: 'DeviceId', group: 'DeviceGroup', tag: 'TagId' } as const)[kind]]: value };
}

const LONGEST_NAME = 255;

/** "myapp.tar.gz 1.2.0 to group lab", cut to what a name may hold. */
export function suggestName(payload: string | undefined, target: string | undefined): string {
  if (!payload) return '';
  const name = target ? `${payload} to ${target}` : payload;
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1).trimEnd()}…` : name;
}

/** Whether what was typed confirms a deploy to many: the name of the group or tag, or the number of devices. */
export function confirms(typed: string, name: string | undefined, count: number): boolean {
  const text = typed.trim();
  return text !== '' && (text === name || text.replaceAll(/[\s.,'’]/g, '') === String(count));
}
