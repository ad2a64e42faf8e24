// What a person has filled in for a deploy, and what follows from it and the devices: what it is called, whether it has to
// be confirmed, why it can't be sent yet, and what would be sent.
import type { Device } from '#/contract/devices.ts';
import { nameText } from '#/contract/endpoint.ts';
import type { JobTarget } from '#/fleet/members.ts';
import { bodyTargetOf, confirms, suggestName, whatOf, type DeployChoice } from './deploy-choice.ts';
import { preflightFault, type PreflightPlan } from './preflight-script.ts';
import { rolloutFault, type RolloutSettings } from './rollout-settings.ts';
import type { Deploy } from './submission.ts';
import type { Payload } from './use-payload.ts';
import type { Reach } from './use-reach.ts';

/** The fields that are not in the URL, at least not at each key. */
export interface DeployForm {
  /** Undefined: the suggested name. */
  typedName: string | undefined;
  confirmation: string;
  /** Undefined: the deploy itself. */
  preflight: PreflightPlan | undefined;
  /** Undefined: all devices at once. */
  rollout: RolloutSettings | undefined;
}

export type DeployPlan = ReturnType<typeof deployPlan>;

/** Says that a target has no device now. */
export function nobody({ kind, label = '' }: Pick<Reach, 'kind' | 'label'>): string {
  if (kind === 'device') return 'This device no longer exists.';
  if (kind === 'selection') return 'The selected devices no longer exist.';
  return kind === 'tag' ? `No device has the ${label} now.` : `No device is in ${label} now.`;
}

type Reached = Pick<Reach, 'kind' | 'label' | 'name' | 'devices' | 'fault' | 'error'>;

function obstacle(reach: Reached, hasPayload: boolean, hasName: boolean): string | undefined {
  if (reach.label === undefined) return 'Choose a target first.';
  if (!reach.devices) return reach.error ? 'The devices could not be read.' : 'The devices are being read.';
  if (reach.devices.length === 0) return nobody(reach);
  if (reach.fault !== undefined) return reach.fault;
  if (!hasPayload) return 'Choose what to run first.';
  return hasName ? undefined : 'Name must not be empty.';
}

export function deployPlan(
  { typedName, confirmation, preflight, rollout }: DeployForm,
  reach: Reached,
  payload: Pick<Payload, 'text'> | undefined,
) {
  const name = typedName ?? suggestName(payload?.text, reach.label);
  const nameFits = nameText.safeParse(name).success;
  /** As far as they are read. */
  const count = reach.devices?.length ?? 0;
  const isMany = count > 0 && (reach.name !== undefined || count > 1);
  const confirmed = !isMany || confirms(confirmation, reach.name, count);
  /** Why it can't be sent yet. */
  const reason =
    obstacle(reach, payload !== undefined, nameFits) ??
    (preflight && preflightFault(preflight)) ??
    (rollout && rolloutFault(rollout, reach.devices ?? [])) ??
    (confirmed ? undefined : 'Type the confirmation first.');
  return { name, nameFits, count, isMany, reason };
}

const idsOf = (devices: readonly Device[]) => devices.map(({ DeviceId }) => DeviceId);

export interface Submission extends Deploy {
  jobTarget: JobTarget;
  /** The devices that were reviewed. */
  devices: readonly Device[];
}

/** What is sent once nothing is in its way; undefined while the target is not known. */
export function submissionOf(choice: DeployChoice, name: string, reach: Reach): Submission | undefined {
  const { jobTarget, label, devices } = reach;
  if (!jobTarget || !devices || label === undefined) return undefined;
  const body = { ...whatOf(choice, name), ...bodyTargetOf(choice.target, idsOf(devices)) };
  return { jobTarget, devices, body };
}
