// The whole API by resource: what is described, what is refused with 404 or 405, and what passes a gateway.
import type { Operation, Operations, Resource } from '#/contract/resource.ts';
import { accountEndpoints } from '#/contract/account.ts';
import { alertEndpoints } from '#/contract/alerts.ts';
import { archiveEndpoints } from '#/contract/archive.ts';
import { artifactEndpoints } from '#/contract/artifacts.ts';
import { auditEndpoints } from '#/contract/audit.ts';
import { bulkEndpoints } from '#/contract/bulk.ts';
import { changeEndpoints } from '#/contract/changes.ts';
import { deviceVersionEndpoints } from '#/contract/device-versions.ts';
import { deviceEndpoints } from '#/contract/devices.ts';
import { enrolmentEndpoints } from '#/contract/enrolment.ts';
import { factEndpoints } from '#/contract/facts.ts';
import { historyEndpoints } from '#/contract/history.ts';
import { jobEndpoints } from '#/contract/jobs.ts';
import { peopleEndpoints } from '#/contract/people.ts';
import { rolloutEndpoints } from '#/contract/rollouts.ts';
import { ruleEndpoints } from '#/contract/rules.ts';
import { standingOrderEndpoints } from '#/contract/standing-orders.ts';
import { tagEndpoints } from '#/contract/tags.ts';
import { timelineEndpoints } from '#/contract/timeline.ts';
import { tunnelEndpoints } from '#/contract/tunnels.ts';
import { uploadEndpoints } from '#/contract/uploads.ts';
import { usageEndpoints } from '#/contract/usage.ts';
import { viewEndpoints } from '#/contract/views.ts';
import { workflowEndpoints } from '#/contract/workflows.ts';

/** The operations of each resource, by its name. */
export const API = {
  devices: deviceEndpoints,
  enrolment: enrolmentEndpoints,
  tags: tagEndpoints,
  account: accountEndpoints,
  people: peopleEndpoints,
  artifacts: artifactEndpoints,
  uploads: uploadEndpoints,
  workflows: workflowEndpoints,
  jobs: jobEndpoints,
  rules: ruleEndpoints,
  rollouts: rolloutEndpoints,
  orders: standingOrderEndpoints,
  versions: deviceVersionEndpoints,
  bulk: bulkEndpoints,
  archive: archiveEndpoints,
  changes: changeEndpoints,
  tunnels: tunnelEndpoints,
  audit: auditEndpoints,
  alerts: alertEndpoints,
  usage: usageEndpoints,
  history: historyEndpoints,
  timeline: timelineEndpoints,
  facts: factEndpoints,
  views: viewEndpoints,
} satisfies Record<string, Operations>;
export type ResourceName = keyof typeof API;
export const RESOURCE_NAMES = Object.keys(API) as ResourceName[];

const OPEN: readonly Operation[] = Object.values<Operations>(API).flatMap((operations) =>
  Object.values(operations).filter(({ permission }) => permission === 'anyone'),
);
/** Whether a request is one that devices send before they belong to an account. */
export const needsNoCaller = ({ method, path }: { method: string; path: string }): boolean =>
  OPEN.some((operation) => operation.method === method && isPathOf(operation, path));

const isPathOf = (operation: Operation, path: string): boolean => {
  const [asked, described] = [path.split('/'), operation.path.split('/')];
  return asked.length === described.length && described.every((part, at) => part.startsWith(':') || part === asked[at]);
};

export const RESOURCES: readonly Resource[] = Object.values<Operations>(API).map((operations) => {
  const [first] = Object.values(operations);
  if (!first) throw new Error('A resource without operations');
  return first.resource;
});
