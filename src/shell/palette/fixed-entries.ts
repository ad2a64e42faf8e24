// What the palette lists before anything was typed: the pages, and what can be done from anywhere or to the device that is being looked at.
import { matchPath } from 'react-router';
import type { Capability } from '#/contract/account.ts';
import { paths } from '#/paths.ts';
import type { Entry } from './entry.ts';

interface Page extends Entry {
  /** What the service has to offer for it, one of these; nothing for what the document has. */
  needs: readonly Capability[];
}

const page = (label: string, to: string, also = '', ...needs: Capability[]): Page => ({
  id: `page:${to}`,
  label,
  to,
  also,
  needs,
});

const PAGES: readonly Page[] = [
  page('Overview', paths.overview(), 'home start dashboard'),
  page('Devices', paths.devices(), 'table fleet'),
  page('Offline devices', paths.devices({ status: 'Offline' }), 'down'),
  page('Map', paths.map(), 'locations places'),
  page('Artifacts', paths.artifacts(), 'files updates registry'),
  page('Jobs', paths.jobs(), 'deployments queue'),
  page('Failed jobs', paths.jobs({ state: 'Failed' }), 'deployments errors'),
  page('Running jobs', paths.jobs({ state: 'Running' }), 'deployments'),
  page('Rollouts', paths.rollouts(), 'waves canary phased staged', 'rollouts'),
  page('Standing orders', paths.orders(), 'group version newcomers desired', 'orders'),
  page('Queues', paths.queues(), 'waiting jobs', 'queue'),
  page('Archive', paths.archive(), 'old jobs logs', 'archive'),
  page('Workflows', paths.workflows(), 'legacy commands'),
  page('Tunnels', paths.tunnels(), 'exposed remote access'),
  page('Activity', paths.activity(), 'audit log history who', 'audit'),
  page('Availability', paths.availability(), 'activity history uptime', 'history'),
  page('Alerts', paths.alerts(), 'activity channels webhook e-mail rules', 'alerts'),
  page('Bulk actions', paths.bulkList(), 'many changes', 'bulk'),
  page('Account', paths.account(), 'tokens licence usage settings appearance'),
];

/** The pages that there are with what the service offers. */
export const pagesOf = (all: readonly Capability[]): readonly Entry[] =>
  PAGES.filter(({ needs }) => needs.length === 0 || needs.some((each) => all.includes(each)));

const action = (label: string, to: string, also = ''): Entry => ({ id: `action:${to}`, label, to, also });

const THIS_MACHINE = action('Add this machine', paths.addThisMachine(), 'new create install agent');
const ACTIONS: readonly Entry[] = [
  action('Deploy', paths.deploy(), 'submit job update'),
  action('Add a device', paths.addDevice(), 'new create'),
  action('Add many devices', paths.addMany(), 'csv import'),
  action('Upload an artifact', paths.artifacts(), 'new file script tar.gz'),
];

/** What can be done from the page at this path. `hasOwnAgent`: our agent is what makes a machine a device here. */
export function actionsAt(pathname: string, hasOwnAgent: boolean): Entry[] {
  const everywhere = hasOwnAgent ? [...ACTIONS, THIS_MACHINE] : [...ACTIONS];
  const id = matchPath('/devices/:id', pathname)?.params.id;
  if (!id || pathname === paths.addMany()) return everywhere;
  return [
    action('Set the location of this device', `${paths.device(id)}?dialog=locate`, 'gps place map'),
    action('Deploy to this device', paths.deploy({ device: id }), 'submit job update'),
    action('Edit this device', `${paths.device(id)}?dialog=edit`, 'rename group'),
    ...everywhere,
  ];
}
