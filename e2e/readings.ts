// What each page reads, and how that shows: for the tests of loading, failed, empty and refreshed.
import type { Service } from './fixtures.ts';

export interface Reading {
  /** The page; with what a test made, where it needs that. */
  at: (made: Made) => string;
  /** The GET that the page stands on. */
  from: (made: Made) => string;
  /** What the page calls it. */
  what: string;
  /** On the screen once it was read. */
  seen: string | RegExp;
  /** A list: on the screen when it is empty. */
  empty?: string;
  /** Another GET that fills the page as soon as it is read. */
  later?: string;
  /** A field of a form that offers it: that has its list, and says nothing when it could not be renewed. */
  picker?: true;
}

export interface Made {
  device: string;
  job: string;
}

export async function fill(service: Service): Promise<Made> {
  const { DeviceId: device } = await service.createDevice('pump 7', 'north');
  await service.locate(device, 47, 8);
  await service.call('POST', '/v1/enrolment', { Name: 'golden image', DeviceGroup: 'north' });
  const artifact = await service.uploadScript('hello.sh', '#!/bin/sh\necho hello\n', '/tmp');
  await service.call('POST', '/v1/workflow', { Name: 'Restart the pump', Command: 'true' });
  const { JobId } = await service.call<{ JobId: string }>('POST', '/v1/job', {
    Name: 'first job',
    DeviceGroup: 'north',
    ArtifactId: artifact,
  });
  return { device, job: JobId };
}

export const READINGS: Record<string, Reading> = {
  'the overview': {
    at: () => '/',
    from: () => '/v1/account',
    what: 'the account',
    seen: 'Artifact storage',
  },
  'the fleet of the overview': {
    at: () => '/',
    from: () => '/v1/devices/1/1000',
    what: 'devices',
    seen: '1 not connected yet',
    empty: 'No devices yet',
  },
  devices: {
    at: () => '/devices',
    later: '/v1/devices/1/1000',
    from: () => '/v1/devices/1/25',
    what: 'devices',
    seen: 'pump 7',
    empty: 'No devices yet',
  },
  'filtered devices': {
    at: () => '/devices?group=north',
    later: '/v1/devices/1/1000',
    from: () => '/v1/devices/1/25/filters',
    what: 'devices',
    seen: 'pump 7',
    empty: 'No device matches these filters.',
  },
  'a device': {
    at: ({ device }) => `/devices/${device}`,
    from: () => '/v1/devices/1/25/filters',
    what: 'the device',
    seen: 'Queue and jobs',
  },
  "a device's jobs": {
    at: ({ device }) => `/devices/${device}`,
    from: ({ device }) => `/v1/device/${device}/queue`,
    what: 'its jobs',
    // The timeline has it, too, in other words.
    seen: /^first job$/,
  },
  "a device's facts": {
    at: ({ device }) => `/devices/${device}`,
    from: ({ device }) => `/v1/device/${device}/facts`,
    what: 'its facts',
    seen: 'Its agent has reported no facts yet.',
  },
  'the map': {
    at: () => '/map',
    from: () => '/v1/devices/1/1000',
    what: 'the map',
    seen: 'pump 7',
    empty: 'No devices yet',
  },
  'the places on the map': {
    at: () => '/map',
    from: () => '/v1/devices/location',
    what: 'the map',
    seen: '1 on the map',
    empty: '0 on the map · 1 without a location',
  },
  artifacts: {
    at: () => '/artifacts',
    from: () => '/v1/artifact',
    what: 'artifacts',
    seen: 'hello.sh',
    empty: 'No artifacts yet',
  },
  'the artifacts to deploy': {
    at: () => '/deploy',
    from: () => '/v1/artifact',
    what: 'artifacts',
    seen: /^Artifact or workflow$/,
    picker: true,
    empty: 'Upload an artifact',
  },
  jobs: { at: () => '/jobs', from: () => '/v1/jobs', what: 'jobs', seen: 'first job' },
  'a job': {
    at: ({ job }) => `/jobs/${job}`,
    from: ({ job }) => `/v1/job/${job}/output`,
    what: 'the job',
    seen: 'Submitted',
  },
  "a job's devices": {
    at: ({ job }) => `/jobs/${job}`,
    from: ({ job }) => `/v1/job/${job}/childjobs`,
    what: 'the devices of this job',
    seen: 'pump 7',
    empty: 'The service lists no child jobs for this job.',
  },
  workflows: {
    at: () => '/workflows',
    from: () => '/v1/workflow',
    what: 'workflows',
    seen: 'Restart the pump',
    empty: 'No workflows',
  },
  tunnels: {
    at: () => '/tunnels',
    from: () => '/v1/tunnels',
    what: 'tunnels',
    seen: 'No tunnels are open',
    empty: 'No tunnels are open',
  },
  usage: { at: () => '/settings/usage', from: () => '/v1/account', what: 'the account', seen: 'Artifact storage' },
  'devices that wait': {
    at: () => '/devices/enrolment',
    from: () => '/v1/enrolment/pending',
    what: 'devices that wait',
    seen: 'No devices are waiting.',
  },
  'enrolment keys': {
    at: () => '/devices/enrolment',
    from: () => '/v1/enrolment',
    what: 'enrolment keys',
    seen: 'golden image',
    empty: 'No enrolment keys',
  },
  'API tokens': {
    at: () => '/settings/tokens',
    from: () => '/v1/account/tokens',
    what: 'API tokens',
    seen: 'Last used',
    empty: 'No API tokens',
  },
  sessions: {
    at: () => '/settings/sessions',
    from: () => '/v1/account/sessions',
    what: 'who is signed in',
    seen: 'This browser',
  },
  people: {
    at: () => '/settings/people',
    from: () => '/v1/people',
    what: 'the people',
    seen: 'One person signs in here',
  },
  'the alert channels': {
    at: () => '/settings/channels',
    from: () => '/v1/alerts/channels',
    what: 'the channels',
    seen: 'No channels',
    empty: 'No channels',
  },
};
