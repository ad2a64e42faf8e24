// Repeated steps of tests of jobs, through the API: create devices and workflows, submit, wait for an end.
import assert from 'node:assert/strict';
import type { Job } from '#/contract/jobs.ts';
import { until } from '../scripts/test-process.ts';

type Call = (method: string, path: string, body?: unknown) => Promise<Response>;

export interface TestFleet {
  device(group?: string, name?: string): Promise<{ id: string; key: string }>;
  /** One after the other: devices have the order of their creation everywhere. */
  devices(group: string, names: readonly string[]): Promise<{ id: string; key: string }[]>;
  workflow(command: string): Promise<string>;
  /** Uploads a script that runs `command` in `folder`. */
  artifact(fileName: string, version: string, run?: { folder: string; command: string }): Promise<string>;
  /** Submits a workflow with this command to a target and returns the job's id. */
  run(command: string, target: { DeviceId: string } | { DeviceGroup: string } | { TagId: string }): Promise<string>;
  submit(body: object): Promise<string>;
  job(id: string): Promise<Job>;
  children(id: string): Promise<Job[]>;
  jobs(): Promise<Job[]>;
  /** Waits for a job to end. */
  ended(id: string): Promise<Job>;
  /** Waits for a job to be in this state. */
  reached(id: string, status: string): Promise<Job>;
  remove(id: string): Promise<void>;
  stop(id: string): Promise<{ Cancelled: number; Stopping: number }>;
  status(deviceId: string): Promise<string>;
}

export function testFleet(call: Call): TestFleet {
  const json = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await call(method, path, body);
    const text = await response.text();
    assert.equal(response.status, 200, `${method} ${path}: ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
  const fleet: TestFleet = {
    device: async (group = '', name = 'device') => {
      const made = await json<{ DeviceId: string; DeviceKey: string }>('POST', '/v1/devices', {
        DeviceName: name,
        DeviceGroup: group,
      });
      return { id: made.DeviceId, key: made.DeviceKey };
    },
    devices: async (group, names) => {
      const made = [];
      for (const name of names) made.push(await fleet.device(group, name));
      return made;
    },
    workflow: async (command) =>
      (await json<{ WorkflowId: string }>('POST', '/v1/workflow', { Name: 'w', Command: command })).WorkflowId,
    artifact: async (fileName, version, { folder, command } = { folder: '/', command: 'true' }) => {
      const form = new FormData();
      const fields = { size: '1', version, type: 'script', destination: folder, command };
      for (const [name, value] of Object.entries(fields)) form.append(name, value);
      form.append('file', new File(['#!/bin/sh\n'], fileName));
      return (await json<{ ArtifactId: string }>('POST', '/v1/artifact', form)).ArtifactId;
    },
    submit: async (body) => (await json<{ JobId: string }>('POST', '/v1/job', { Name: 'job', ...body })).JobId,
    run: async (command, target) => fleet.submit({ ...target, WorkflowId: await fleet.workflow(command) }),
    job: (id) => json<Job>('GET', `/v1/job/${id}`),
    children: (id) => json<Job[]>('GET', `/v1/job/${id}/childjobs`),
    jobs: () => json<Job[]>('GET', '/v1/job'),
    ended: (id) =>
      until(`job ${id} to end`, async () => {
        const found = await fleet.job(id);
        return found.EndTime !== '' && found;
      }),
    reached: (id, status) =>
      until(`job ${id} to be ${status}`, async () => {
        const found = await fleet.job(id);
        return found.Status === status && found;
      }),
    stop: (id) => json('POST', `/v1/job/${id}/stop`),
    remove: (id) => json('DELETE', `/v1/job/${id}`),
    status: async (deviceId) => {
      const [found] = await json<{ DeviceStatus: string }[]>('GET', `/v1/devices/1/9/filters?device_id=${deviceId}`);
      return found?.DeviceStatus ?? 'none';
    },
  };
  return fleet;
}
