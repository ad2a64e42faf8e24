// The form of a deploy, and what follows from it and the devices: the name, whether a confirmation is needed, why it can't
// be sent yet, and the request.
import type { Device } from '#/contract/devices.ts';
import { nameText } from '#/contract/endpoint.ts';
import type { JobTarget } from '#/fleet/members.ts';
import { bodyTargetOf, confirms, suggestName, whatOf, type DeployChoice } from './deploy-choice.ts';
import { preflightFault, type PreflightPlan } from './preflight-script.ts';
import { rolloutFault, type RolloutSettings } from './rollout-settings.ts';
import type { Deploy } from './submission.ts';
import type { Payload } from './use-payload.ts';
import type { DeployTargets } from './use-deploy-targets.ts';

/** The fields that are not in the URL, or not updated there with every key press. */
export interface DeployForm {
  /** Undefined for the suggested name. */
  typedName: string | undefined;
  confirmation: string;
  /** Undefined for a deploy without preflight. */
  preflight: PreflightPlan | undefined;
  /** Undefined for all devices at once. */
  rollout: RolloutSettings | undefined;
}

/** A deploy to more devices than this has to be confirmed by a word. */
const MOST_WITHOUT_WORD = 50;

export type DeployPlan = ReturnType<typeof deployPlan>;

/** The message that a target has no devices. */
export function noDevicesText({ kind, label = '' }: Pick<DeployTargets, 'kind' | 'label'>): string {
  if (kind === 'device') return 'This device no longer exists.';
  if (kind === 'selection') return 'The selected devices no longer exist.';
  return kind === 'tag' ? `No device has the ${label} now.` : `No device is in ${label} now.`;
}

type PlannedTargets = Pick<DeployTargets, 'kind' | 'label' | 'name' | 'devices' | 'fault' | 'error'>;

function targetFault(targets: PlannedTargets, hasPayload: boolean, hasName: boolean): string | undefined {
  if (targets.label === undefined) return 'Choose a target first.';
  if (!targets.devices) return targets.error ? 'The devices could not be read.' : 'The devices are being read.';
  if (targets.devices.length === 0) return noDevicesText(targets);
  if (targets.fault !== undefined) return targets.fault;
  if (!hasPayload) return 'Choose what to run first.';
  return hasName ? undefined : 'Name must not be empty.';
}

export function deployPlan(
  { typedName, confirmation, preflight, rollout }: DeployForm,
  targets: PlannedTargets,
  payload: Pick<Payload, 'text'> | undefined,
  /** Why this person may not send it. */
  notPermitted?: string,
) {
  const name = typedName ?? suggestName(payload?.text, targets.label);
  const nameFits = nameText.safeParse(name).success;
  /** Number of devices read so far. */
  const count = targets.devices?.length ?? 0;
  const needsWord = count > MOST_WITHOUT_WORD;
  const confirmed = !needsWord || confirms(confirmation, targets.name, count);
  /** Why the deploy can't be sent yet. */
  const reason =
    notPermitted ??
    targetFault(targets, payload !== undefined, nameFits) ??
    (preflight && preflightFault(preflight)) ??
    (rollout && rolloutFault(rollout, targets.devices ?? [])) ??
    (confirmed ? undefined : 'Type the confirmation first.');
  return { name, nameFits, count, needsWord, reason };
}

const idsOf = (devices: readonly Device[]) => devices.map(({ DeviceId }) => DeviceId);

export interface Submission extends Deploy {
  jobTarget: JobTarget;
  /** The devices that were reviewed. */
  devices: readonly Device[];
}

/** The deploy to send; undefined while the target is unknown. */
export function submissionOf(choice: DeployChoice, name: string, targets: DeployTargets): Submission | undefined {
  const { jobTarget, label, devices } = targets;
  if (!jobTarget || !devices || label === undefined) return undefined;
  const body = { ...whatOf(choice, name), ...bodyTargetOf(choice.target, idsOf(devices)) };
  return { jobTarget, devices, body };
}
