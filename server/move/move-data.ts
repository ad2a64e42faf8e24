// Moves the data of a stopped service to another place: copied, compared, and made valid by the last step. The source is
// never changed.
import type { S3Times } from '../store/s3-client.ts';
import { openFolderArtifacts, openFolderSource, openS3Source, openS3Target } from './artifact-places.ts';
import type { ArtifactSource, ArtifactTarget } from './artifact-places.ts';
import { copyArtifacts } from './copy-artifacts.ts';
import { compareTables, copyTables } from './copy-tables.ts';
import type { ChangedRows, Report } from './copy-tables.ts';
import { openFolderTarget } from './folder-target.ts';
import type { FolderTarget } from './folder-target.ts';
import { artifactsAt } from './places.ts';
import type { MovePlan, Places } from './places.ts';
import { openSource, readFacts } from './source.ts';
import type { Closers } from './source.ts';
import { openSqliteTarget } from './sqlite-tables.ts';
import { TABLES } from './tables.ts';
import type { TableTarget } from './tables.ts';

export interface Moved {
  /** How many were copied. */
  rows: number;
  artifacts: number;
  changed: ChangedRows;
}

export async function moveData(plan: MovePlan, report: Report, times?: S3Times): Promise<Moved> {
  const closers: Closers = [];
  try {
    return await move(plan, report, { closers, times });
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

interface Opening {
  closers: Closers;
  times: S3Times | undefined;
}

async function move(plan: MovePlan, report: Report, opening: Opening): Promise<Moved> {
  const source = await openSource(plan.from, opening.closers);
  const { instanceId, artifacts } = await readFacts(source);
  const from = plan.movesArtifacts ? openArtifacts(plan.from.artifacts, opening) : undefined;
  const { tables, files, folder } = await openTargets(plan, instanceId, opening);
  const begun = new Set([
    ...(tables?.unfinished === undefined ? [] : [tables.address]),
    ...(files?.isUnfinished ? [files.address] : []),
  ]);
  for (const address of begun)
    report(`${address} holds a part of a move that was not finished: it is removed, and the move begins again.`);

  await tables?.begin(files?.address ?? '');
  await files?.begin();
  try {
    if (from && files) await copyArtifacts(artifacts, from, files, report);
    let changed: ChangedRows = { count: 0, names: [] };
    let rows = 0;
    if (tables) {
      await tables.createTables();
      changed = await copyTables(source, tables, report);
      rows = await compareTables(source, tables, report);
      report(`Checked ${rows} rows of ${TABLES.length} tables: the same on both sides`);
    }
    await source.requireUnchanged();
    // The tables make the artifacts valid.
    await files?.complete();
    await tables?.complete();
    return { rows, artifacts: files ? artifacts.length : 0, changed };
  } catch (cause) {
    folder?.discard();
    throw cause;
  }
}

function openArtifacts(place: Places['artifacts'], { closers, times }: Opening): ArtifactSource {
  const opened = typeof place === 'string' ? openFolderSource(place) : openS3Source(place, times);
  closers.push(() => opened.close());
  return opened;
}

interface Targets {
  tables: TableTarget | undefined;
  files: ArtifactTarget | undefined;
  /** Has the tables, the artifacts or both. */
  folder: FolderTarget | undefined;
}

/** The tables come first: they may say where an unfinished move stored the artifacts. */
async function openTargets(
  { to, movesTables, movesArtifacts }: MovePlan,
  instanceId: string,
  { closers, times }: Opening,
): Promise<Targets> {
  let tables: TableTarget | undefined;
  if (movesTables && typeof to.tables !== 'string') {
    const { openPostgresTarget } = await import('./postgres-tables.ts');
    const opened = (tables = await openPostgresTarget(to.tables));
    closers.push(() => opened.close());
  }
  const name = [movesTables && to.tables, movesArtifacts && to.artifacts].find((place) => typeof place === 'string');
  const folder = name === undefined ? undefined : openFolderTarget(name, { isLeftover: tables?.unfinished === name });
  if (folder) closers.push(() => folder.close());
  const hasTables = movesTables && typeof to.tables === 'string';
  if (folder && hasTables) {
    const opened = (tables = openSqliteTarget(folder));
    closers.push(() => opened.close());
  }

  let files: ArtifactTarget | undefined;
  if (movesArtifacts && typeof to.artifacts !== 'string') {
    const isLeftover = tables?.unfinished === artifactsAt(to.artifacts);
    files = await openS3Target(to.artifacts, { instanceId, isLeftover, times });
  } else if (movesArtifacts && folder) files = openFolderArtifacts(folder, { hasTables });
  const opened = files;
  if (opened) closers.push(() => opened.close());
  return { tables, files, folder };
}
