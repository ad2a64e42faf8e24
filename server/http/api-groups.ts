// The whole API by resource: what is described, what is refused with 404 or 405, and what passes a gateway.
import type { Operations, Resource } from '#/contract/resource.ts';
import { accountEndpoints } from '#/contract/account.ts';
import { alertEndpoints } from '#/contract/alerts.ts';
import { archiveEndpoints } from '#/contract/archive.ts';
import { artifactEndpoints } from '#/contract/artifacts.ts';
import { auditEndpoints } from '#/contract/audit.ts';
import { bulkEndpoints } from '#/contract/bulk.ts';
import { changeEndpoints } from '#/contract/changes.ts';
import { deviceVersionEndpoints } from '#/contract/device-versions.ts';
import { deviceEndpoints } from '#/contract/devices.ts';
import { historyEndpoints } from '#/contract/history.ts';
import { jobEndpoints } from '#/contract/jobs.ts';
import { rolloutEndpoints } from '#/contract/rollouts.ts';
import { ruleEndpoints } from '#/contract/rules.ts';
import { standingOrderEndpoints } from '#/contract/standing-orders.ts';
import { tagEndpoints } from '#/contract/tags.ts';
import { timelineEndpoints } from '#/contract/timeline.ts';
import { tunnelEndpoints } from '#/contract/tunnels.ts';
import { usageEndpoints } from '#/contract/usage.ts';
import { viewEndpoints } from '#/contract/views.ts';
import { workflowEndpoints } from '#/contract/workflows.ts';

const TABLES: readonly Operations[] = [
  deviceEndpoints,
  tagEndpoints,
  accountEndpoints,
  artifactEndpoints,
  workflowEndpoints,
  jobEndpoints,
  ruleEndpoints,
  rolloutEndpoints,
  standingOrderEndpoints,
  deviceVersionEndpoints,
  bulkEndpoints,
  archiveEndpoints,
  changeEndpoints,
  tunnelEndpoints,
  auditEndpoints,
  alertEndpoints,
  usageEndpoints,
  historyEndpoints,
  timelineEndpoints,
  viewEndpoints,
];

const resourceOf = (operations: Operations): Resource => {
  const [first] = Object.values(operations);
  if (!first) throw new Error('A resource without operations');
  return first.resource;
};

export const RESOURCES: readonly Resource[] = TABLES.map(resourceOf);

/** The operations of each resource, by its name. */
export const API: Readonly<Record<string, Operations>> = Object.fromEntries(
  TABLES.map((operations) => [resourceOf(operations).name, operations]),
);
