// Reads archived jobs back into this browser's archive: ZIP files, or what was unpacked from one.
import { useRef, useState } from 'react';
import { Button } from '@mantine/core';
import { archiveMutations } from '#/features/job-archive/archive-queries.ts';
import { counted, formatCount } from '#/lib/format.ts';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { FormError } from '#/ui/page/view.tsx';
import classes from './archive.module.css';

export function ImportButton({ account, disabled }: { account: string; disabled: boolean }) {
  const input = useRef<HTMLInputElement>(null);
  const [progress, setProgress] = useState({ done: 0, total: 0 });
  const take = useWrite(archiveMutations.take(account));
  return (
    <div className={classes.import}>
      <input
        ref={input}
        type="file"
        accept=".zip,.json,application/zip,application/json"
        multiple
        hidden
        aria-label="ZIP or JSON files of archived jobs"
        onChange={(event) => {
          const files = [...(event.currentTarget.files ?? [])];
          event.currentTarget.value = '';
          if (files.length > 0) take.mutate({ files, onJob: (done, total) => setProgress({ done, total }) });
        }}
      />
      <Button
        disabled={disabled}
        title={disabled ? 'This browser has no archive to read it into' : 'ZIP or JSON files that were exported here'}
        loading={take.isPending}
        onClick={() => input.current?.click()}
      >
        Import…
      </Button>
      <span role="status">
        {take.isPending &&
          progress.total > 0 &&
          `${formatCount(progress.done)} of ${counted(progress.total, 'job')} read`}
        {take.isSuccess && `${counted(take.data, 'job')} imported`}
      </span>
      <FormError error={take.error} />
    </div>
  );
}
