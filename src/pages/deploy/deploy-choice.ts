// What a person has chosen to deploy, as it stands in the URL, and what follows from it. A kind without a value
// (`?group=`) is a choice not made yet; it keeps the kind over a reload.
import { ApiError } from '#/api/api-error.ts';
import type { Attempt, What } from './attempt.ts';

export const TARGETS = ['device', 'group', 'tag', 'selection'] as const;
export const THINGS = ['artifact', 'workflow'] as const;
export type TargetKind = (typeof TARGETS)[number];
export type PayloadKind = (typeof THINGS)[number];

export interface DeployChoice {
  target: { kind: TargetKind; value: string };
  thing: { kind: PayloadKind; value: string };
  /** Undefined: the suggested one. */
  name: string | undefined;
}

function readKind<Kind extends string>(params: URLSearchParams, kinds: readonly Kind[], usual: Kind) {
  const kind = kinds.find((each) => params.get(each)) ?? kinds.find((each) => params.has(each)) ?? usual;
  return { kind, value: params.get(kind) ?? '' };
}

export const readDeployChoice = (params: URLSearchParams): DeployChoice => ({
  target: readKind(params, TARGETS, 'device'),
  thing: readKind(params, THINGS, 'artifact'),
  name: params.get('name') ?? undefined,
});

/** The URL with another target or another thing: exactly one of its kind remains. */
export function choose(params: URLSearchParams, kind: TargetKind | PayloadKind, value: string): URLSearchParams {
  const next = new URLSearchParams(params);
  for (const other of TARGETS.some((each) => each === kind) ? TARGETS : THINGS) next.delete(other);
  next.set(kind, value);
  return next;
}

/** What runs, as the request has it. */
export function whatOf({ thing }: DeployChoice, Name: string): What {
  return { Name, ...(thing.kind === 'artifact' ? { ArtifactId: thing.value } : { WorkflowId: thing.value }) };
}

/** Where it runs, as the request has it; a selection is no target of the API, but a job for each of its devices. */
export function attemptTargetOf({ kind, value }: DeployChoice['target'], ids: readonly string[]): Attempt['target'] {
  if (kind === 'selection') return { ids };
  return { [({ device: 'DeviceId', group: 'DeviceGroup', tag: 'TagId' } as const)[kind]]: value };
}

const LONGEST_NAME = 255;

/** "myapp.tar.gz 1.2.0 to group lab", cut to what a name may hold. */
export function suggestName(thing: string | undefined, target: string | undefined): string {
  if (!thing) return '';
  const name = target ? `${thing} to ${target}` : thing;
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1).trimEnd()}…` : name;
}

/** Whether what was typed confirms a deploy to many: the name of the group or tag, or the number of devices. */
export function confirms(typed: string, name: string | undefined, count: number): boolean {
  const text = typed.trim();
  return text !== '' && (text === name || text.replaceAll(/[\s.,'’]/g, '') === String(count));
}

/** Whether a failed submit may have been carried out all the same: no answer, or none that tells. */
export const isOutcomeUnknown = (error: Error | null): boolean =>
  error instanceof ApiError && (error.kind !== 'refused' || error.status === 502 || error.status === 504);
