// What the operator does after a move: the settings with which the service starts, and what is left at the source.
import path from 'node:path';
import { placeOf } from '../database-url.ts';
import { artifactsAt, tablesAt } from './places.ts';
import type { MovePlan } from './places.ts';

/** Lines to print. No password is in them. */
export function nextSteps({ from, to, movesTables, movesArtifacts }: MovePlan): string[] {
  const isFolder = (place: unknown): place is string => typeof place === 'string';
  const folder = [to.tables, to.artifacts].find(isFolder);
  const settings: string[] = [];

  if (!isFolder(to.tables))
    settings.push(`DATABASE_URL=${placeOf(to.tables)}${to.tables.password && ' (with its password)'}`);
  else if (!isFolder(from.tables)) settings.push('without DATABASE_URL');
  if (folder !== undefined) settings.push(`DATA_DIR=${folder}`);
  else if (isFolder(from.tables)) settings.push('DATA_DIR=… a new folder, for uploads on their way to the store');
  if (!isFolder(to.artifacts)) settings.push(`ARTIFACT_STORE_URL=${to.artifacts.address}, with the same AWS_… as now`);
  else if (!isFolder(from.artifacts)) settings.push('without ARTIFACT_STORE_URL');

  const lines = ['Start the service with:', ...settings.map((setting) => `  ${setting}`)];
  // A service with DATABASE_URL refuses a folder with an embedded database.
  if (movesTables && isFolder(from.tables) && !isFolder(to.tables) && to.artifacts === from.tables)
    lines.push(
      'The artifacts stay in that folder. Move its old database away first:',
      `  mkdir ${path.join(from.tables, 'before-move')} && mv ${path.join(from.tables, 'muster.db')}* ${path.join(from.tables, 'before-move')}`,
    );
  const left = [
    ...(movesTables ? [`the tables in ${tablesAt(from.tables)}`] : []),
    ...(movesArtifacts ? [`the artifacts in ${artifactsAt(from.artifacts)}`] : []),
  ];
  lines.push(
    `The source is unchanged: ${left.join(' and ')} can be deleted when all is well. Never run services on both: each would send the same jobs.`,
  );
  return lines;
}
