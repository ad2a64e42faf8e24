// The agent's jobs and the service's messages: whatever the service sends about whichever job, in any order and with any
// sizes, the agent goes on, runs each job once, and sends only what the service can read.
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { readAgentMessage, readServiceMessage, type ServiceMessage } from '#/contract/agent-link.ts';
import { holds } from '../scripts/test-property.ts';
import type { JobFolder } from './job-folder.ts';
import { JobRunner } from './job-runner.ts';
import { testFolder } from './test-folder.ts';

const job = fc.constantFrom('one', 'two', '__proto__', '-');
const size = fc.oneof(fc.nat(300_000), fc.maxSafeNat());
const have = fc.record({ stdout: size, stderr: size });
const message = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('run'),
      job,
      command: fc.string(),
      timeLimitSeconds: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
      outputLimit: fc.maxSafeNat(),
      have,
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('stored'), job, have }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constantFrom('cancel', 'settled'), job }) },
  { weight: 1, arbitrary: fc.constant({ type: 'disconnected' }) },
);

type Step = ServiceMessage | { type: 'disconnected' };

function take(runner: JobRunner, step: Step): void {
  if (step.type === 'disconnected') return runner.disconnected();
  const read = readServiceMessage(JSON.stringify(step));
  if (read?.type === 'run') runner.run(read);
  else if (read?.type === 'stored') runner.stored(read.job, read.have);
  else if (read?.type === 'cancel') runner.cancel(read.job);
  else if (read?.type === 'settled') runner.settled(read.job);
}

test('no messages of the service end the agent or run a job twice', () =>
  holds(
    40,
    fc.asyncProperty(fc.array(message, { maxLength: 25 }), fc.nat(300_000), async (steps, printed) => {
      const at = testFolder();
      const ran: string[] = [];
      // Prints and ends at once, without a process.
      const launch = async (folder: JobFolder): Promise<undefined> => {
        if (!folder.takeLock()) return;
        ran.push(folder.folder);
        appendFileSync(folder.file('stdout'), 'x'.repeat(printed));
        folder.writeEnd({ outcome: 'exited', exitCode: 0, startedAt: 1, endedAt: 2 });
      };
      const runner = new JobRunner({
        spool: at.spool,
        launch,
        log: () => {},
        send: (sent) => assert.deepEqual(readAgentMessage(JSON.stringify(sent)), sent),
      });
      try {
        for (const step of steps) {
          take(runner, step);
          await new Promise(setImmediate);
        }
        assert.equal(new Set(ran).size, ran.length);
      } finally {
        runner.stop();
        at.remove();
      }
    }),
  ));
