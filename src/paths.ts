// Every link of the dashboard, so that no page spells a URL.

/** An id as one part of a path. Half of a surrogate pair cannot be encoded, and a link must not end the page. */
const encoded = (id: string) => encodeURIComponent(id.toWellFormed());

const withQuery = (path: string, query: Record<string, string | readonly string[] | undefined>): string => {
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([word, values]) =>
      [values ?? []].flat().flatMap((value) => (value ? [[word, value]] : [])),
    ),
  );
  return search.size > 0 ? `${path}?${search}` : path;
};

/** What the deploy form starts with. */
export interface DeployStart {
  device?: string;
  group?: string;
  tag?: string;
  /** The name under which another page has stored devices. */
  selection?: string;
  artifact?: string;
  workflow?: string;
  /** `on`: in waves. */
  waves?: string;
}

/** The filters of the device table and the map, as a link gives them. */
export interface FleetFilter {
  /** Words in the name or the id. */
  q?: string;
  name?: string;
  id?: string;
  group?: string | readonly string[];
  state?: string | readonly string[];
  tag?: string;
  customer?: string;
  site?: string;
  problem?: string | readonly string[];
  /** From when to when they were there last. */
  seen?: string;
  sort?: string;
  /** One of its versions, where that is given. */
  artifact?: string;
  version?: string;
}

/** The filters of the list of jobs, as they stand in the URL. */
export interface JobListFilter {
  name?: string;
  state?: string;
  /** Hours. */
  within?: string;
  device?: string;
  group?: string;
  tag?: string;
  artifact?: string;
}

/** The filters of the tunnels, as they stand in the URL. */
export interface TunnelFilter {
  device?: string;
  protocol?: string;
  exposure?: string;
}

/** The filters of the queues, as they stand in the URL. */
export interface QueueFilter {
  q?: string;
  status?: string;
  older?: string;
  artifact?: string;
  stale?: string;
  sort?: string;
  /** The device whose queue is opened. */
  open?: string;
}

export const paths = {
  overview: () => '/',
  devices: (filter: FleetFilter = {}) => withQuery('/devices', { ...filter }),
  addDevice: () => '/devices?dialog=add',
  /** `work`: bulk work that created devices, with its keys. */
  enrolment: (dialog?: string) => withQuery('/devices/enrolment', { dialog }),
  addMany: (work?: string) => withQuery('/devices/add-many', { work }),
  addThisMachine: () => '/devices?dialog=add-this-machine',
  device: (id: string) => `/devices/${encoded(id)}`,
  /** `versionsOf`: coloured by the version of this artifact. */
  map: (filter: FleetFilter = {}, versionsOf?: string) =>
    withQuery('/map', { ...filter, ...(versionsOf && { color: 'version', of: versionsOf }) }),
  /** `name`: what its versions share, or the ArtifactId of one of them. `version`: the ArtifactId of the one to open. */
  artifact: (name: string, version?: string) => withQuery(`/artifacts/${encoded(name)}`, { version }),
  artifactRules: (name: string) => withQuery(`/artifacts/${encoded(name)}`, { dialog: 'rules' }),
  /** `at`: the part of the world, as the map writes it. */
  mapAt: (at: string) => withQuery('/map', { at }),
  /** The map as it was at a time, within the last day or week, or one around that time. */
  replay: (span: '24h' | '7d', time: Date) => withQuery('/map', { replay: span, time: time.toISOString() }),
  /** `to`: the target of the deploy that an artifact is uploaded for. */
  artifacts: (to: DeployStart = {}) => withQuery('/artifacts', { ...to }),
  deploy: (start: DeployStart = {}) => withQuery('/deploy', { ...start }),
  /** Devices are being checked by this job before what follows is deployed to them. */
  preflight: (job: string, { artifact, workflow }: { artifact?: string | undefined; workflow?: string | undefined }) =>
    withQuery('/deploy', { check: job, artifact, workflow }),
  rollouts: () => '/rollouts',
  orders: () => '/rollouts/orders',
  rollout: (id: string) => `/rollouts/${encoded(id)}`,
  jobs: (filter: JobListFilter = {}) => withQuery('/jobs', { ...filter }),
  /** `line`: of its output, as line-marks.ts prints it. */
  job: (id: string, line?: string) => withQuery(`/jobs/${encoded(id)}`, { line }),
  archiveJob: (id: string) => `/jobs/${encoded(id)}?dialog=archive`,
  /** A child's output, on its parent's page. */
  childJob: (parent: string, child: string, line?: string) => withQuery(`/jobs/${encoded(parent)}`, { child, line }),
  queues: (filter: QueueFilter = {}) => withQuery('/queues', { ...filter }),
  archive: (find?: string) => withQuery('/archive', { find }),
  bulkList: () => '/bulk',
  bulk: (id: string) => `/bulk/${encoded(id)}`,
  workflows: () => '/workflows',
  tunnels: (filter: TunnelFilter = {}) => withQuery('/tunnels', { ...filter }),
  /** The audit log; `object`: only what concerns it. */
  activity: (view: { object?: string; by?: 'anyone' } = {}) => withQuery('/activity', view),
  availability: () => '/activity/availability',
  alerts: () => '/activity/alerts',
  settings: () => '/settings',
  people: () => '/settings/people',
  person: (id: string) => `/settings/people/${encoded(id)}`,
  tokens: () => '/settings/tokens',
  sessions: () => '/settings/sessions',
  channels: () => '/settings/channels',
  ownSignIn: () => '/settings/sign-in',
  usage: () => '/settings/usage',
  appearance: () => '/settings/appearance',
  /** With the code of an invitation, or of a link for a new password, in the fragment. */
  accept: () => '/accept',
  reset: () => '/reset',
  /** Signs in at the identity provider; a page of the service, which the application has no route for. */
  signInElsewhere: (next: string) => withQuery('/auth/oidc/start', { next: next === '/' ? undefined : next }),
  /** The same, to join the identity to the person who is signed in. */
  /** Where a tab ends that was opened to sign in for another one. */
  signedInElsewhere: () => '/sign-in?for=another-tab',
  /** `next`: where to go once signed in, a path of ours. */
  signIn: (next?: string) => withQuery('/sign-in', { next: next === '/' ? undefined : next }),
};
