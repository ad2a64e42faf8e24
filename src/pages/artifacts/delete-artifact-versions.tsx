// Deletes old versions: how many of each name are kept, exactly which go, and what became of each.
import { useEffect, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Button, Group, Modal, SegmentedControl, Stack, TextInput } from '@mantine/core';
import type { Artifact } from '#/contract/artifacts.ts';
import { artifactRemoval } from '#/api/artifacts.ts';
import { jobQueries } from '#/api/jobs.ts';
import { runBulk } from '#/features/bulk/bulk-run.ts';
import type { ItemResult } from '#/features/bulk/bulk-run.ts';
import { countResults, countsText, OUTCOME_WORDS } from '#/features/bulk/bulk-results.ts';
import { ShowAsCurl } from '#/ui/curl/show-as-curl.tsx';
import { formatBytes, formatCount } from '#/lib/format.ts';
import { StateMark } from '#/ui/controls/state-mark.tsx';
import { FormError } from '#/ui/page/view.tsx';
import { VirtualTable } from '#/ui/table/virtual-table.tsx';
import { useWrite } from '#/ui/dialog/use-write.ts';
import { planCleanup } from './artifact-cleanup.ts';
import { ArtifactAge, ArtifactSize } from './versions/artifact-facts.tsx';
import { usageOf } from './versions/artifact-usage.ts';
import classes from './artifact-details.module.css';

/** How often a run is drawn again, in milliseconds. */
const TICK = 120;
const KEEP = ['1', '2', '3', '5', '10'];

const artifactsText = (count: number) => (count === 1 ? '1 artifact' : `${formatCount(count)} artifacts`);
const MARKS = {
  done: 'Succeeded',
  failed: 'Failed',
  skipped: 'Cancelled',
  unknown: 'Interrupted',
  stopped: 'Cancelled',
};

interface Run {
  items: readonly Artifact[];
  results: ReadonlyMap<string, ItemResult>;
}

export function DeleteArtifactVersions({
  artifacts,
  onClose,
}: {
  artifacts: readonly Artifact[];
  onClose: () => void;
}) {
  const jobs = useQuery({ ...jobQueries.list(), staleTime: 0 });
  const usage = usageOf(jobs.data);
  const [keep, setKeep] = useState('3');
  const [typed, setTyped] = useState('');
  const [run, setRun] = useState<Run>();
  const cancel = useRef(new AbortController());
  useEffect(() => () => cancel.current.abort(), []);
  const remove = useWrite({
    mutationFn: async ({ items, before }: { items: readonly Artifact[]; before: ReadonlyMap<string, ItemResult> }) => {
      cancel.current = new AbortController();
      const results = new Map(before);
      let timer: ReturnType<typeof setTimeout> | undefined;
      const draw = () => {
        timer = undefined;
        setRun((now) => now && { ...now, results: new Map(results) });
      };
      try {
        await runBulk({
          items,
          send: artifactRemoval.send,
          check: artifactRemoval.check,
          signal: cancel.current.signal,
          onResult: ({ ArtifactId }, result) => {
            results.set(ArtifactId, result);
            timer ??= setTimeout(draw, TICK);
          },
        });
      } finally {
        clearTimeout(timer);
        draw();
      }
    },
    meta: artifactRemoval.meta,
  });
  const start = (items: readonly Artifact[], all: readonly Artifact[]) => {
    if (remove.isPending || items.length === 0) return;
    const again = new Set(items.map(({ ArtifactId }) => ArtifactId));
    const before = new Map([...(run?.results ?? [])].filter(([id]) => !again.has(id)));
    setRun({ items: all, results: before });
    remove.mutate({ items, before });
  };

  const plan = planCleanup(artifacts, Number(keep), usage);
  const items = run?.items ?? plan.going;
  const left = run ? items.filter(({ ArtifactId }) => run.results.get(ArtifactId)?.outcome !== 'done') : [];
  const ready = jobs.data !== undefined && plan.going.length > 0 && typed.trim() === String(plan.going.length);
  const why = jobs.data === undefined ? 'Which jobs need an artifact is still being read' : undefined;
  return (
    <Modal
      opened
      onClose={remove.isPending ? () => undefined : onClose}
      size="lg"
      centered
      withCloseButton={!remove.isPending}
      title="Delete old versions"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!run && ready) start(plan.going, plan.going);
        }}
      >
        <Stack gap="md">
          {!run && (
            <>
              <div className={classes.used}>
                <span id="keep-newest">Keep of each name the newest</span>
                <SegmentedControl aria-labelledby="keep-newest" data={KEEP} value={keep} onChange={setKeep} />
              </div>
              <p>
                {plan.going.length === 0 ? (
                  'Nothing would be deleted.'
                ) : (
                  <>
                    <strong>{artifactsText(plan.going.length)}</strong> would leave the registry for good
                    {plan.frees > 0 && `, which frees ${formatBytes(plan.frees)}`}.
                  </>
                )}{' '}
                {plan.needed.length === 1 && 'One old version more stays: a job still needs it.'}
                {plan.needed.length > 1 &&
                  `${formatCount(plan.needed.length)} old versions more stay: jobs still need them.`}
              </p>
              {jobs.error && !jobs.data ? (
                <p>Which jobs wait for an artifact could not be read, so nothing can be deleted here now.</p>
              ) : (
                jobs.data &&
                !usage && <p>Which jobs use an artifact is not told by this service. Those that wait will fail.</p>
              )}
            </>
          )}
          {run && (
            <p role="status">
              {countsText(countResults(run.results.values()), formatCount) || 'Nothing has come back yet'}
              {remove.isPending && `, of ${formatCount(run.items.length)}`}
            </p>
          )}
          {items.length > 0 && (
            <VirtualTable
              name="Artifacts to delete"
              bounded
              rows={[...items]}
              rowKey={({ ArtifactId }) => ArtifactId}
              columns={[
                {
                  header: 'Name',
                  phone: 'wide',
                  cell: ({ Name, Version }) => <span title={`${Name} ${Version}`}>{`${Name} ${Version}`}</span>,
                },
                {
                  header: 'Size',
                  width: '90px',
                  align: 'end',
                  cell: (artifact) => <ArtifactSize artifact={artifact} />,
                },
                {
                  header: run ? 'Result' : 'Uploaded',
                  width: run ? '42%' : '110px',
                  phone: 'second',
                  cell: (artifact) =>
                    run ? <Result of={run.results.get(artifact.ArtifactId)} /> : <ArtifactAge artifact={artifact} />,
                },
              ]}
            />
          )}
          {!run && plan.going.length > 0 && (
            <TextInput
              label={
                <>
                  Type <strong>{plan.going.length}</strong> to confirm
                </>
              }
              value={typed}
              onChange={({ currentTarget }) => setTyped(currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
          )}
          {!run && plan.going.length > 0 && <ShowAsCurl request={() => plan.going.map(artifactRemoval.request)} />}
          <FormError error={remove.error} />
          <Group justify="flex-end" gap="sm">
            {remove.isPending ? (
              <Button variant="default" onClick={() => cancel.current.abort()}>
                Cancel
              </Button>
            ) : run ? (
              <>
                {left.length > 0 && (
                  <Button color="red" onClick={() => start(left, run.items)}>
                    Try {artifactsText(left.length)} again
                  </Button>
                )}
                <Button variant="default" onClick={onClose}>
                  Close
                </Button>
              </>
            ) : (
              <>
                <Button variant="default" onClick={onClose}>
                  Cancel
                </Button>
                <Button type="submit" color="red" disabled={!ready} title={why}>
                  Delete {artifactsText(plan.going.length)}
                </Button>
              </>
            )}
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function Result({ of }: { of: ItemResult | undefined }) {
  if (!of) return <span className="dim">–</span>;
  return (
    <span title={of.reason}>
      <StateMark
        state={MARKS[of.outcome]}
        label={of.outcome === 'done' ? 'Deleted' : [OUTCOME_WORDS[of.outcome], of.reason].filter(Boolean).join(': ')}
      />
    </span>
  );
}
