// Shared by the tests of a job's output: places of the log view, and lines for scripts to print.
import { readFile } from 'node:fs/promises';
import type { Download, Locator, Page } from '@playwright/test';

export const searchBox = (page: Page): Locator => page.getByRole('textbox', { name: 'Search the output' });
export const found = (page: Page): Locator =>
  page.getByRole('search', { name: 'Search the output' }).getByRole('status');
export const lineLink = (page: Page, line: number): Locator =>
  page.getByRole('button', { name: `Link to line ${line}`, exact: true });
export const steps = (first: number, last: number, what = 'step $i') =>
  `i=${first}; while [ $i -le ${last} ]; do echo "${what}"; i=$((i+1)); done`;
export const saved = async (download: Download) => readFile(await download.path(), 'utf8');
