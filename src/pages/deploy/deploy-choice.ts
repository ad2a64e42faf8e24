// The user's choices for a deploy, as stored in the URL, and what follows from them. A kind without a value (`?group=`) is
// a choice that is still to be made; it preserves the kind across a reload.
import type { JobDraft } from '#/contract/job-draft.ts';
import { oneOf, optional, urlSchema, type UrlPart } from '#/ui/url/url-schema.ts';

export const TARGETS = ['device', 'group', 'tag', 'selection'] as const;
export const PAYLOADS = ['artifact', 'workflow'] as const;
export type TargetKind = (typeof TARGETS)[number];
export type PayloadKind = (typeof PAYLOADS)[number];

/** A value of one of several kinds: each kind has its own parameter, and only one of these is in the URL. */
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
  /** Undefined for the suggested name. */
  name: optional,
  /** `on` for a deploy in waves. */
  waves: optional,
  /** How the review shows the devices. */
  view: oneOf(['list', 'sites', 'map'], 'list'),
  /** The job of the preflight. */
  check: optional,
});

export type DeployChoice = Pick<typeof deployUrl.defaults, 'target' | 'payload' | 'name'>;

/** The payload fields of the request. */
export function whatOf({ payload }: DeployChoice, Name: string): Pick<JobDraft, 'Name' | 'ArtifactId' | 'WorkflowId'> {
  return { Name, ...(payload.kind === 'artifact' ? { ArtifactId: payload.value } : { WorkflowId: payload.value }) };
}

/** The target fields of the request. `ids`: the devices of a selection. */
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

/** "myapp.tar.gz 1.2.0 to group lab", cut to the maximum length of a name. */
export function suggestName(payload: string | undefined, target: string | undefined): string {
  if (!payload) return '';
  const name = target ? `${payload} to ${target}` : payload;
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1).trimEnd()}…` : name;
}

/** Whether the typed text confirms a deploy to many devices: the name of the group or tag, or the number of devices. */
export function confirms(typed: string, name: string | undefined, count: number): boolean {
  const text = typed.trim();
  return text !== '' && (text === name || text.replaceAll(/[\s.,'’]/g, '') === String(count));
}
