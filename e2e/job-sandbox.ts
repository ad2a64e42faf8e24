// What tests of jobs share: scripts that leave traces and wait at gates, the calls that submit them, and the places of
// the pages where a job is seen.
import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Locator, Page } from '@playwright/test';
import { expect, type Service } from './fixtures.ts';

interface Listed {
  JobId: string;
  JobName: string;
  Status: string;
}

/** A folder where scripts leave traces and wait at gates until the test opens them. */
export class JobSandbox {
  readonly folder: string;
  constructor(folder: string) {
    this.folder = folder;
  }

  /** Lines of shell that leave a trace. */
  trace = (line: string) => `echo "${line}" >> '${this.folder}/traces'`;
  /** Lines of shell that wait for a gate, and no longer than the test goes on. */
  gate = (name: string) => `while [ -d '${this.folder}' ] && [ ! -e '${this.folder}/${name}' ]; do sleep 0.05; done`;
  open = (name: string) => writeFile(path.join(this.folder, name), '');

  /** What the scripts have left so far. */
  traces = async () =>
    (await readFile(path.join(this.folder, 'traces'), 'utf8').catch(() => '')).split('\n').filter((line) => line);
}

export const jobSandbox = async (service: Service) => new JobSandbox(await service.folder('sandbox'));

/** Uploads these lines of shell as an artifact that can be deployed; gives its id. */
export const script = (service: Service, sandbox: JobSandbox, name: string, ...lines: string[]) =>
  service.uploadScript(name, `#!/bin/sh\n${lines.join('\n')}\n`, sandbox.folder);

export const submit = async (service: Service, draft: Record<string, string>) =>
  (await service.call<{ JobId: string }>('POST', '/v1/job', draft)).JobId;
export const jobs = async (service: Service) => (await service.call<Listed[] | null>('GET', '/v1/job')) ?? [];
export const statusOf = async (service: Service, id: string) =>
  (await service.call<Listed>('GET', `/v1/job/${id}`)).Status;

export const textOf = (file: string) => {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
};

/** Whether a process runs; one that ended and was not collected yet does not. */
export const isAlive = (pid: number) => /^\d+ \(.*\) [^ZX] /s.test(textOf(`/proc/${pid}/stat`));

/** Opens the form with everything chosen, as the links of other pages do. */
export async function openDeploy(page: Page, service: Service, choice: Record<string, string>): Promise<void> {
  await page.goto(`${service.url}/deploy?${new URLSearchParams(choice)}`);
  await expect(deployButton(page)).toBeEnabled();
}

export const deployButton = (page: Page): Locator => page.getByRole('button', { name: /^Deploy/ });
export const review = (page: Page): Locator => page.getByRole('region', { name: 'Review' });
export const heading = (page: Page): Locator => page.getByRole('heading', { level: 1 });
export const log = (page: Page, device: string): Locator =>
  page.getByRole('region', { name: `Output of ${device}, text` });
export const isJobPost = (request: { method(): string; url(): string }) =>
  request.method() === 'POST' && new URL(request.url()).pathname === '/v1/job';
