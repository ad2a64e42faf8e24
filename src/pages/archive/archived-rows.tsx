// The devices of an archived job, and the output of the one that is opened; a job to one device shows its output at once.
import { useMemo } from 'react';
import { Link } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { Job } from '#/contract/jobs.ts';
import { jobState } from '#/api/job-state.ts';
import { archiveQueries } from '#/features/job-archive/archive-queries.ts';
import type { StoredJob } from '#/features/job-archive/archive-store.ts';
import { logFileName, logStreams, outputOf } from '#/features/jobs/job-output.ts';
import { rowName, type Column } from '#/ui/table/table.tsx';
import { LogView } from '#/ui/log/log-view.tsx';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { positive, plainText, urlSchema } from '#/ui/url/url-schema.ts';
import { useUrlState, type UrlActions } from '#/ui/url/use-url-state.ts';
import { Empty, View } from '#/ui/page/view.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import classes from './archive.module.css';

/** `row`: which of the devices is opened, from 1. */
const archivedUrl = urlSchema({ name: plainText, row: positive });

interface Row {
  job: Job;
  /** From 0. */
  index: number;
}

const keyOf = ({ index }: Row) => String(index);
const deviceOf = ({ DeviceName, DeviceId }: Job, index: number) => DeviceName || DeviceId || `Device ${index + 1}`;

const columnsOf = (url: UrlActions<typeof archivedUrl.defaults>, opened: number | undefined): Column<Row>[] => [
  {
    header: 'Device',
    width: '44%',
    cell: ({ job, index }) => {
      const { to, state } = url.opening({ row: index + 1 });
      return (
        <Link
          to={to}
          state={state}
          replace={opened !== undefined}
          preventScrollReset
          className={rowName}
          aria-current={opened === index ? 'true' : undefined}
        >
          {deviceOf(job, index)}
        </Link>
      );
    },
  },
  { header: 'State', width: '34%', cell: ({ job }) => <StateMark state={jobState(job)} /> },
  { header: 'Exit code', width: '22%', phone: 'second', cell: ({ job }) => job.ExitCode ?? '–' },
];

export function ArchivedRows({ stored, account }: { stored: StoredJob; account: string }) {
  const [{ name, row: openedRow = 0 }, url] = useUrlState(archivedUrl);
  const rows = useQuery(archiveQueries.rows(account, stored.id));
  const index = openedRow - 1;
  const single = stored.devices === 1;
  const opened = index >= 0 && index < stored.devices ? index : single ? 0 : undefined;
  const shown = useMemo(() => {
    const part = name.trim().toLowerCase();
    return (rows.data ?? [])
      .map((job, at): Row => ({ job, index: at }))
      .filter(({ job, index: at }) => part === '' || deviceOf(job, at).toLowerCase().includes(part));
  }, [rows.data, name]);
  return (
    <View
      local
      query={rows}
      name="its devices"
      isEmpty={(all) => all.length === 0}
      empty={<Empty title="It had no devices" />}
    >
      {(all) => (
        <div className={classes.split} data-many={(!single && opened !== undefined) || undefined}>
          {!single && (
            <div className={classes.rows}>
              {(all.length > 10 || name) && (
                <TextInput
                  size="xs"
                  aria-label="Find a device by name"
                  placeholder="Find a device"
                  leftSection={<IconSearch size={15} stroke={1.6} aria-hidden />}
                  value={name}
                  onChange={(event) => url.set({ name: event.currentTarget.value })}
                  spellCheck={false}
                />
              )}
              <VirtualTable
                name="Devices of this job"
                columns={columnsOf(url, opened)}
                rows={shown}
                rowKey={keyOf}
                isMarked={(row) => row.index === opened}
              />
            </div>
          )}
          {opened !== undefined && <Output key={opened} stored={stored} account={account} row={opened} />}
        </div>
      )}
    </View>
  );
}

function Output({ stored, account, row }: { stored: StoredJob; account: string; row: number }) {
  const output = useQuery(archiveQueries.output(account, stored, row));
  return (
    <View local query={output} name="its output" rows={4} empty={null}>
      {(job) => {
        if (!job) return null;
        const device = deviceOf(job, row);
        const came = outputOf(job);
        return (
          <section className={classes.panel} aria-label={`Archived output of ${device}`}>
            {stored.devices > 1 && (
              <header>
                <h2>
                  <bdi>{device}</bdi>
                </h2>
                <StateMark state={jobState(job)} />
                {job.ExitCode !== undefined && <span>exit code {job.ExitCode}</span>}
              </header>
            )}
            {came.reason && <p className={classes.said}>{came.reason}</p>}
            <LogView
              name={`Output of ${device}`}
              streams={logStreams(came)}
              live={false}
              fileName={logFileName(stored.job.JobName, device)}
            />
          </section>
        );
      }}
    </View>
  );
}
