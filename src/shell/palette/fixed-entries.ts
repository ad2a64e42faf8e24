// The fixed entries of the palette: pages, and actions that are possible anywhere or on the current device.
import { matchPath } from 'react-router';
import type { Capability } from '#/contract/account.ts';
import { artifactEndpoints } from '#/contract/artifacts.ts';
import { deviceEndpoints } from '#/contract/devices.ts';
import { jobEndpoints } from '#/contract/jobs.ts';
import type { Me } from '#/contract/people.ts';
import type { OperationRow } from '#/contract/resource.ts';
import { whyNot } from '#/api/people.ts';
import { paths } from '#/paths.ts';
import type { Entry } from './entry.ts';

interface Page extends Entry {
  /** The capability that the page depends on, unless it is part of every /v1 service. */
  needs: Capability | undefined;
}

const page = (label: string, to: string, also = '', needs?: Capability): Page => ({
  id: `page:${to}`,
  label,
  to,
  also,
  needs,
});

const PAGES: readonly Page[] = [
  page('Overview', paths.overview(), 'home start dashboard'),
  page('Devices', paths.devices(), 'table fleet'),
  page('Offline devices', paths.devices({ state: 'offline' }), 'down'),
  page('Devices not connected yet', paths.devices({ state: 'notconnected' }), 'new never seen'),
  page('Enrolment', paths.enrolment(), 'devices join keys approve pending golden image', 'enrolment'),
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
  page('People', paths.people(), 'settings account users members invite roles', 'people'),
  page('Tokens', paths.tokens(), 'settings account api keys', 'tokens'),
  page('Sessions', paths.sessions(), 'settings account browsers signed in sign out', 'sessions'),
  page('Alert channels', paths.channels(), 'settings account webhook e-mail slack', 'alerts'),
  page('Sign-in', paths.ownSignIn(), 'settings account password second factor totp identity provider', 'people'),
  page('Usage', paths.usage(), 'settings account licence limits storage'),
  page('Appearance', paths.appearance(), 'settings account theme dark time zone notices browser data version'),
];

/** The pages that the service offers. */
export const pagesOf = (all: readonly Capability[]): readonly Entry[] =>
  PAGES.filter(({ needs }) => needs === undefined || all.includes(needs));

const action = (label: string, to: string, also: string, doing: string, operation: OperationRow) => ({
  id: `action:${to}`,
  label,
  to,
  also,
  doing,
  operation,
});

const THIS_MACHINE = action(
  'Add this machine',
  paths.addThisMachine(),
  'new create install agent',
  'Adding devices',
  deviceEndpoints.create,
);
const ACTIONS = [
  action('Deploy', paths.deploy(), 'submit job update', 'Deploying', jobEndpoints.submit),
  action('Add a device', paths.addDevice(), 'new create', 'Adding devices', deviceEndpoints.create),
  action('Add many devices', paths.addMany(), 'csv import', 'Adding devices', deviceEndpoints.create),
  action(
    'Upload an artifact',
    paths.artifacts(),
    'new file script tar.gz',
    'Uploading artifacts',
    artifactEndpoints.upload,
  ),
];

/** The actions that `me` may do on the page at this path. `hasOwnAgent`: devices run our agent. */
export function actionsAt(pathname: string, hasOwnAgent: boolean, me: Me | undefined): Entry[] {
  const everywhere = hasOwnAgent ? [...ACTIONS, THIS_MACHINE] : ACTIONS;
  const id = matchPath('/devices/:id', pathname)?.params.id;
  const here =
    !id || pathname === paths.addMany()
      ? []
      : [
          action(
            'Set the location of this device',
            `${paths.device(id)}?dialog=locate`,
            'gps place map',
            'Setting a location',
            deviceEndpoints.locate,
          ),
          action(
            'Deploy to this device',
            paths.deploy({ device: id }),
            'submit job update',
            'Deploying',
            jobEndpoints.submit,
          ),
          action(
            'Edit this device',
            `${paths.device(id)}?dialog=edit`,
            'rename group',
            'Editing devices',
            deviceEndpoints.update,
          ),
        ];
  return [...here, ...everywhere].flatMap(({ doing, operation, ...entry }) =>
    whyNot(me, operation, { doing }) === undefined ? entry : [],
  );
}
