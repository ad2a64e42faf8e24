// The rules of docs/agent-protocol.md as a model: whatever is lost, repeated, late, restarted, full, stopped or deleted, the
// service and the agent end in silence, each job ran at most once, and both know the same end of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { holds } from '../test-property.ts';
import { TestLink, type Disk } from './test-link.ts';

const MOST_JOBS = 3;

/** What was asked for, which decides how each job may end. */
interface Model {
  jobs: { isStopped: boolean; isDeleted: boolean }[];
  isDialled: boolean;
}

class Step implements fc.AsyncCommand<Model, TestLink> {
  readonly #name: string;
  readonly #run: (link: TestLink) => void | Promise<void>;
  readonly #check: (model: Model) => boolean;
  readonly #change: (model: Model) => void;

  constructor(
    name: string,
    run: (link: TestLink) => void | Promise<void>,
    check: (model: Model) => boolean = () => true,
    change: (model: Model) => void = () => {},
  ) {
    this.#name = name;
    this.#run = run;
    this.#check = check;
    this.#change = change;
  }

  check = (model: Readonly<Model>): boolean => this.#check(model);
  toString = (): string => this.#name;

  async run(model: Model, link: TestLink): Promise<void> {
    this.#change(model);
    await this.#run(link);
    for (const { id, starts } of await link.records()) assert.ok(starts <= 1, `${id} ran ${starts} times`);
  }
}

const submit = new Step(
  'submit',
  (link) => link.submit(),
  ({ jobs }) => jobs.length < MOST_JOBS,
  ({ jobs }) => void jobs.push({ isStopped: false, isDeleted: false }),
);
const change = (name: 'stop' | 'remove', index: number) =>
  new Step(
    `${name} ${index}`,
    (link) => link[name](index),
    ({ jobs }) => index < jobs.length,
    ({ jobs }) => {
      const job = jobs[index];
      if (job) job[name === 'stop' ? 'isStopped' : 'isDeleted'] = true;
    },
  );
const dial = (node: number) =>
  new Step(
    `dial ${node}`,
    (link) => link.dial(node),
    ({ isDialled }) => !isDialled,
    (model) => void (model.isDialled = true),
  );
const agentAway = (name: string, run: (link: TestLink) => void) =>
  new Step(name, run, undefined, (model) => void (model.isDialled = false));

const job = fc.nat(MOST_JOBS - 1);
const node = fc.nat(1);
const side = fc.constantFrom('service' as const, 'agent' as const);
const often = <Value>(weight: number, arbitrary: fc.Arbitrary<Value>) =>
  Array<typeof arbitrary>(weight).fill(arbitrary);
const steps = fc.commands(
  [
    ...often(3, fc.constant(submit)),
    ...often(3, node.map(dial)),
    ...often(
      2,
      job.map((index) => change('stop', index)),
    ),
    job.map((index) => change('remove', index)),
    ...often(
      2,
      fc.constantFrom<Disk>('free', 'low', 'full').map((to) => new Step(`disk ${to}`, (link) => link.fillDisk(to))),
    ),
    ...often(
      4,
      fc
        .tuple(side, fc.integer({ min: 1, max: 3 }))
        .map(([to, count]) => new Step(`deliver ${count} to ${to}`, (link) => link.deliver(to, count))),
    ),
    fc
      .tuple(side, fc.nat(5))
      .map(([to, which]) => new Step(`repeat ${which} to ${to}`, (link) => link.repeat(to, which))),
    fc.constant(new Step('all arrives', async (link) => void (await link.settle()))),
    fc.constant(new Step('commands exit', (link) => link.finish())),
    fc.constant(agentAway('agent loses', (link) => link.agentLoses())),
    fc.constant(agentAway('agent restarts', (link) => link.restartAgent())),
    fc.constant(new Step('service loses', (link) => link.serviceLoses())),
    node.map((index) => new Step(`node ${index} restarts`, (link) => link.restartNode(index))),
  ],
  { maxCommands: 30, size: 'max' },
);

/** The network is whole and the agent connected: all is said, and then nothing any more. */
async function becomesSilent(link: TestLink, where: string): Promise<void> {
  assert.ok(
    await link.settle(),
    `messages for ever ${where}: ${JSON.stringify(link.sent.slice(-8).map(({ type }) => type))}`,
  );
}

test('whatever happens, the link ends in silence and both sides know the same end of each job', () =>
  holds(
    120,
    fc.asyncProperty(steps, async (commands) => {
      const link = await TestLink.open();
      const model: Model = { jobs: [], isDialled: false };
      try {
        await fc.asyncModelRun(() => ({ model, real: link }), commands);
        await becomesSilent(link, 'as it was left');
        link.agentLoses();
        link.dial(0);
        await becomesSilent(link, 'after it connected');
        link.fillDisk('free');
        for (let turn = 0; turn <= MOST_JOBS; turn++) {
          link.agentLoses();
          link.dial(1);
          await becomesSilent(link, 'with space');
          link.finish();
          await becomesSilent(link, 'after the commands exited');
        }
        for (const [index, { id, row, starts, ranTo }] of (await link.records()).entries()) {
          const asked = model.jobs[index] ?? { isStopped: false, isDeleted: false };
          if (asked.isDeleted) continue;
          const status = row?.status;
          if (ranTo === 'end') assert.equal(status, 'Succeeded', `${id} ran to its end`);
          else if (ranTo === 'stop') assert.equal(status, 'Cancelled', `${id} was stopped`);
          else if (asked.isStopped) assert.ok(status === 'Cancelled' || status === 'Failed', `${id} is ${status}`);
          else assert.equal(status, 'Failed', `${id} never ran`);
          if (status === 'Succeeded') assert.equal(starts, 1);
        }
        assert.deepEqual(link.left(), [], 'the agent kept something');
      } finally {
        await link.close();
      }
    }),
  ));
