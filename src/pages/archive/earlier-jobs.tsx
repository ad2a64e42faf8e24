// Jobs that an earlier version archived in this browser: a notice that offers to save them as JSON and to remove them.
import { useState } from 'react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { sessionQueries } from '#/api/session.ts';
import { jobsText } from '#/features/jobs/job-words.ts';
import { datedName, saveFile } from '#/lib/save-file.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { ConfirmDialog } from '#/ui/dialog/confirm-dialog.tsx';
import { FormError } from '#/ui/page/view.tsx';
import classes from './archive.module.css';

/** A stored job. The rows of its devices and their output are stored as compressed JSON, by job and number. */
interface EarlierJob {
  id: string;
  archived: number;
  job: object;
}

const databaseOf = (account: string) => `muster-archive:${account}`;

const answerOf = <T,>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('This browser cannot read it.')));
  });

/** All of a store, or a range of it; empty if the browser has no such database, which is then not created. */
async function readAll<T>(account: string, store: string, range?: IDBKeyRange): Promise<T[]> {
  const opening = indexedDB.open(databaseOf(account));
  opening.addEventListener('upgradeneeded', () => opening.transaction?.abort());
  const database = await answerOf(opening).catch(() => undefined);
  if (!database) return [];
  try {
    return (await answerOf(database.transaction(store).objectStore(store).getAll(range))) as T[];
  } finally {
    database.close();
  }
}

async function unpack(bytes: Uint8Array<ArrayBuffer>): Promise<object[]> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return JSON.parse(await new Response(stream).text()) as object[];
}

async function saveJobs(account: string, jobs: readonly EarlierJob[]): Promise<void> {
  const texts: string[] = [];
  for (const { id, archived, job } of jobs) {
    const range = IDBKeyRange.bound([id, 0], [id, Infinity]);
    const [rows, ...outputs] = await readAll<Uint8Array<ArrayBuffer>>(account, 'pieces', range);
    if (!rows) throw new Error('A part of an archived job is missing in this browser.');
    const devices = (await Promise.all((outputs.length > 0 ? outputs : [rows]).map(unpack))).flat();
    texts.push(texts.length === 0 ? '[\n' : ',\n', JSON.stringify({ archived, job, devices }));
  }
  saveFile(datedName('muster-archive', new Date(), 'json'), [...texts, '\n]\n'], 'application/json');
}

/** Written by hand because the data is from a database of this browser and not from the service. */
const KEY = ['earlier-archive'];

export function EarlierJobs() {
  const account = useQuery(sessionQueries.current()).data?.UserEmail ?? '';
  const { data: jobs = [] } = useQuery({
    queryKey: [...KEY, account],
    queryFn: () => readAll<EarlierJob>(account, 'heads'),
    enabled: account !== '',
    retry: false,
    staleTime: Infinity,
  });
  const save = useMutation({ mutationFn: () => saveJobs(account, jobs) });
  const [removing, setRemoving] = useState(false);
  if (jobs.length === 0) return null;
  const close = () => setRemoving(false);
  return (
    <section aria-label="Jobs in this browser" className={classes.earlier}>
      <p>This browser still holds {jobsText(jobs.length)} of an earlier version, which nobody else sees.</p>
      <div>
        <Button size="xs" loading={save.isPending} onClick={() => save.mutate()}>
          Save as JSON
        </Button>
        <Gate why={save.isSuccess ? undefined : 'Save them first'}>
          <Button size="xs" onClick={() => setRemoving(true)}>
            Remove…
          </Button>
        </Gate>
      </div>
      <FormError error={save.error} />
      {removing && (
        <ConfirmDialog
          title={`Remove ${jobsText(jobs.length)} from this browser`}
          confirmLabel="Remove"
          write={{
            mutationFn: async () => void (await answerOf(indexedDB.deleteDatabase(databaseOf(account)))),
            onSuccess: (_data, _variables, _result, { client }) => client.invalidateQueries({ queryKey: KEY }),
          }}
          onClose={close}
          onDone={close}
        >
          <p>The saved JSON file is then the only copy.</p>
          <p className="dim">This cannot be undone.</p>
        </ConfirmDialog>
      )}
    </section>
  );
}
