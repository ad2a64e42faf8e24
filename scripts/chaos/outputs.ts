// Jobs with more output on both streams than an agent may send before it is confirmed.
import { setTimeout as sleep } from 'node:timers/promises';
import { OUTPUT_WINDOW } from '#/contract/agent-link.ts';
import type { jobEndpoints } from '#/contract/jobs.ts';
import type * as z from 'zod/mini';
import { logged, PAUSE_MS, type Run, type Scenario } from './scenario.ts';

const LINES = 6_000;
const PADDING = '.'.repeat(60);
const linesOf = (name: string, every: number) =>
  Array.from({ length: LINES / every }, (_, n) => `${name} ${(n + 1) * every} ${PADDING}\n`).join('');
/** Both streams grow together; the second is a third of the first. */
const COMMAND = `awk 'BEGIN { for (n = 1; n <= ${LINES}; n++) { print "out", n, "${PADDING}"; if (n % 3 == 0) print "err", n, "${PADDING}" > "/dev/stderr" } }'`;
const BETWEEN_JOBS = 20;

export function outputs({ client, fleet, isOver }: Run): Scenario {
  const submitted: string[] = [];
  const expected = { Stdout: linesOf('out', 1), Stderr: linesOf('err', 3) };
  if (expected.Stdout.length < OUTPUT_WINDOW * 1.5) throw new Error('The output has to be longer than the window.');

  /** Reads both streams to their ends, as the log view does. `gaps` names pieces that do not follow on one another. */
  async function outputOf(id: string): Promise<{ Stdout: string; Stderr: string; gaps: string[] }> {
    const whole = { Stdout: '', Stderr: '', gaps: [] as string[] };
    const at = { stdout: 0, stderr: 0 };
    const arrived = { stdout: 0, stderr: 0 };
    for (;;) {
      const {
        Stdout,
        Stderr,
        Pieces = [],
      } = await client.read<z.output<typeof jobEndpoints.output.response>>(
        `/v1/job/${id}/output?stdout=${at.stdout}&stderr=${at.stderr}`,
      );
      whole.Stdout += Stdout.Text;
      whole.Stderr += Stderr.Text;
      for (const { Stream, Offset, Next } of Pieces) {
        if (Offset !== arrived[Stream]) whole.gaps.push(`${Stream} goes on at ${Offset} after ${arrived[Stream]}`);
        arrived[Stream] = Next;
      }
      if (Stdout.Next === at.stdout && Stderr.Next === at.stderr) return whole;
      at.stdout = Stdout.Next;
      at.stderr = Stderr.Next;
    }
  }

  return {
    write: async () => {
      const workflow = await client.write('POST', '/v1/workflow', { Name: 'chaos output', Command: logged(COMMAND) });
      if (!workflow) return;
      const { WorkflowId } = (await workflow.json()) as { WorkflowId: string };
      for (let n = 0; !isOver(); n += 1) {
        const DeviceId = fleet[n % fleet.length]?.id;
        const sent = await client.write('POST', '/v1/job', { Name: `long output ${n}`, DeviceId, WorkflowId });
        if (!sent) return;
        submitted.push(((await sent.json()) as { JobId: string }).JobId);
        for (let waited = 0; waited < BETWEEN_JOBS && !isOver(); waited += 1) await sleep(PAUSE_MS);
      }
    },

    check: async ({ listed }) => {
      const statuses = new Map(listed.map(({ JobId, Status }) => [JobId, Status]));
      const succeeded = submitted.filter((id) => statuses.get(id) === 'Succeeded');
      const wrong: string[] = submitted
        .filter((id) => !succeeded.includes(id) && statuses.get(id) !== 'Interrupted')
        .map((id) => `${id}: ${statuses.get(id) ?? 'missing'}`);
      for (const id of succeeded) {
        const { Stdout, Stderr, gaps } = await outputOf(id);
        wrong.push(...gaps.map((gap) => `${id}: ${gap}`));
        if (Stdout !== expected.Stdout) wrong.push(`${id}: ${Stdout.length} characters of stdout`);
        if (Stderr !== expected.Stderr) wrong.push(`${id}: ${Stderr.length} characters of stderr`);
      }
      return [{ what: 'long output is whole and in order, on both streams', looked: submitted.length, wrong }];
    },
  };
}
