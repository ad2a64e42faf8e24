// What the palette always has: the pages, and what can be done from anywhere or to the device that is being looked at.
import { matchPath } from 'react-router';
import { paths } from '#/paths.ts';
import type { Entry } from './entry.ts';

const page = (label: string, to: string, also = ''): Entry => ({ id: `page:${to}`, label, to, also });

export const PAGES: readonly Entry[] = [
  page('Overview', paths.overview(), 'home start dashboard'),
  page('Devices', paths.devices(), 'table fleet'),
  page('Offline devices', paths.devices({ status: 'Offline' }), 'down'),
  page('Map', paths.map(), 'locations places'),
  page('Artifacts', paths.artifacts(), 'files updates registry'),
  page('Jobs', paths.jobs(), 'deployments queue'),
  page('Failed jobs', paths.jobs({ state: 'Failed' }), 'deployments errors'),
  page('Running jobs', paths.jobs({ state: 'Running' }), 'deployments'),
  page('Rollouts', paths.rollouts(), 'waves canary phased staged'),
  page('Standing orders', paths.orders(), 'group version newcomers desired'),
  page('Queues', paths.queues(), 'waiting jobs'),
  page('Archive', paths.archive(), 'old jobs logs'),
  page('Workflows', paths.workflows(), 'legacy commands'),
  page('Tunnels', paths.tunnels(), 'exposed remote access'),
  page('Activity', paths.activity(), 'audit log history who alerts'),
  page('Account', paths.account(), 'tokens licence usage settings appearance'),
];

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
