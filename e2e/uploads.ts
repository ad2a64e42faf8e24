// What tests of uploads share: files made as a person would make them, chosen and dropped, and the places of the page.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Locator, Page } from '@playwright/test';
import { expect, type Service } from './fixtures.ts';

const run = promisify(execFile);

export interface Stored {
  ArtifactId: string;
  Name: string;
  Version: string;
  SizeBytes: number;
  Command: string;
}

/** Puts a file where a person could choose it; gives its path. */
export async function saved(service: Service, name: string, content: string | Buffer): Promise<string> {
  const file = path.join(await service.folder('chosen'), name);
  await writeFile(file, content);
  return file;
}

/** Packs files as a person would, with the tar of this machine. */
export async function packed(service: Service, name: string, files: Record<string, string | Buffer>): Promise<string> {
  const folder = await service.folder('pack');
  for (const [file, content] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
    await writeFile(path.join(folder, file), content, { mode: 0o755 });
  }
  const archive = await saved(service, name, '');
  await run('tar', ['-czf', archive, '-C', folder, '.']);
  return archive;
}

/** An archive of so many bytes that do not get smaller when packed. */
export const bulky = (service: Service, name: string, bytes: number) =>
  packed(service, name, { 'update.sh': '#!/bin/sh\necho installed\n', payload: randomBytes(bytes) });

export async function openArtifacts(page: Page, service: Service, search = ''): Promise<void> {
  await page.goto(`${service.url}/artifacts${search}`);
  await expect(page.getByRole('button', { name: 'Browse files' })).toBeVisible();
}

/** Chooses files with the button of the page, or another one for a file that was chosen. */
export async function browse(page: Page, files: string | string[], button = 'Browse files'): Promise<void> {
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: button }).click();
  await (await chooser).setFiles(files);
}

/** Drags files over the page and lets go. */
export async function drop(page: Page, ...files: string[]): Promise<void> {
  const dragged = files.map(async (file) => ({ name: path.basename(file), base64: await readFile(file, 'base64') }));
  const dataTransfer = await page.evaluateHandle(
    (given) => {
      const transfer = new DataTransfer();
      for (const { name, base64 } of given)
        transfer.items.add(new File([Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))], name));
      return transfer;
    },
    await Promise.all(dragged),
  );
  const body = page.locator('body');
  await body.dispatchEvent('dragenter', { dataTransfer });
  await expect(page.getByText('Drop to check the files')).toBeVisible();
  await body.dispatchEvent('dragover', { dataTransfer });
  await body.dispatchEvent('drop', { dataTransfer });
  await expect(page.getByText('Drop to check the files')).toBeHidden();
}

/** The one file that is to be uploaded; with a name that one of several. */
export const form = (page: Page, name?: string): Locator =>
  page.getByRole('form', { name: name === undefined ? /^Upload of / : `Upload of ${name}`, exact: true });
export const checks = (scope: Page | Locator): Locator => scope.getByRole('group', { name: 'Checks' });
export const finding = (scope: Page | Locator, word: 'Error' | 'Warning' | 'Fine'): Locator => {
  const page = 'page' in scope ? scope.page() : scope;
  return checks(scope)
    .getByRole('listitem')
    .filter({ has: page.getByRole('img', { name: word }) });
};
/** Why a file cannot be uploaded. */
export const HAS_ERRORS = 'The file has errors: see the list of checks';
export const uploadButton = (scope: Page | Locator): Locator => scope.getByRole('button', { name: /^Upload (?!all)/ });
export const stored = (page: Page): Locator =>
  page.getByRole('listitem').filter({ hasText: 'is stored and ready to deploy' });
export const listed = (service: Service) => service.call<Stored[] | null>('GET', '/v1/artifact');
export const namesOf = async (service: Service) => ((await listed(service)) ?? []).map(({ Name }) => Name);
