// Advances rollouts: checks the open ones, decides what is next, and does it in one unit of work together with the job
// of a wave, so that a crash at any point neither duplicates nor loses a wave.
import type { Actor } from '../store/caller.ts';
import type { Dispatch } from '../jobs/dispatch.ts';
import { Refusal } from '../store/errors.ts';
import { isStillPermitted } from '../store/current-rights.ts';
import type { Database, Tx } from '../store/database.ts';
import { jobById } from '../store/jobs.ts';
import { wholeAccount } from '../store/scope.ts';
import { keepOutcomes } from '../store/rollout-devices.ts';
import {
  addDevices,
  devicesOfWave,
  insertWave,
  noteStep,
  openRollouts,
  rolloutById,
  rolloutsToKeep,
  settingsOf,
  setWave,
  applyStep,
  wavesOf,
  type RolloutRow,
} from '../store/rollouts.ts';
import { decide, waitsUntil, type Decision, type RolloutSituation } from './decide.ts';
import { verdictOn } from './figures.ts';
import { NOT_PERMITTED, pauseRollout } from './pause.ts';
import { rolloutTargets } from './fleet.ts';
import { openLookPace } from './look-pace.ts';
import { alertEnded } from './rollout-alerts.ts';
import { situationOf } from './situation.ts';

interface RolloutRunnerOptions {
  db: Database;
  now: () => number;
  dispatch: Pick<Dispatch, 'submitIn'>;
  /** A monotonic clock, by which expensive checks are paced. */
  steady?: (() => number) | undefined;
}

/** A wave that begins by itself is the rollout's doing: whoever created it may be asleep. */
const callerOf = ({ account_id, id }: RolloutRow): Actor => ({
  account: { id: account_id, email: '' },
  actor: `rollout:${id}`,
  address: '',
});

/** Returns a function that checks all open rollouts once. */
export function openRolloutRunner({ db, now, dispatch, steady }: RolloutRunnerOptions): () => Promise<void> {
  /** Devices that joined the target after the rollout was created; they go in the last wave. */
  const newcomers = async ({ account_id: account, ...row }: RolloutRow): Promise<string[]> => {
    const { IncludeNew, DeviceGroup, TagId } = settingsOf(row);
    if (!IncludeNew || row.wave < row.waves - 2 || !(DeviceGroup || TagId)) return [];
    const choice = { ...(DeviceGroup && { DeviceGroup }), ...(TagId && { TagId }) };
    try {
      return (await rolloutTargets(db, wholeAccount(account), choice)).map(({ id }) => id);
    } catch (cause) {
      // The group may be empty by now, or the tag deleted.
      if (cause instanceof Refusal) return [];
      throw cause;
    }
  };

  const startWave = async (tx: Tx, row: RolloutRow, wave: number, joined: readonly string[]): Promise<string> => {
    const { ArtifactId, WorkflowId } = settingsOf(row);
    if (wave === row.waves - 1 && joined.length > 0) await addDevices(tx, row, wave, joined);
    const ids = await devicesOfWave(tx, row, wave);
    const Name = `${row.name}, wave ${wave + 1} of ${row.waves}`.slice(-255);
    const payload = { ...(ArtifactId && { ArtifactId }), ...(WorkflowId && { WorkflowId }) };
    let job_seq: number | null = null;
    if (ids.length > 0) {
      const id = await dispatch.submitIn(tx, callerOf(row), { Name, DeviceIds: ids, ...payload });
      job_seq = (await jobById(tx, wholeAccount(row.account_id), id)).seq;
    }
    await insertWave(tx, row.seq, { number: wave, job_seq, started: now() });
    return `Wave ${wave + 1} began on ${ids.length} ${ids.length === 1 ? 'device' : 'devices'}`;
  };

  const apply = async (
    tx: Tx,
    row: RolloutRow,
    { decision, situation, joined }: { decision: Decision; situation: RolloutSituation; joined: readonly string[] },
  ): Promise<void> => {
    const note = (text: string) => noteStep(tx, row, { at: now(), actor: '', text, reason: '' });
    switch (decision.do) {
      case 'begin': {
        if (!(await isStillPermitted(tx, row, now())))
          return pauseRollout(tx, row, { because: NOT_PERMITTED, at: now() });
        const text = await startWave(tx, row, decision.wave, joined);
        await applyStep(tx, row, { state: 'Running', because: '', wave: decision.wave, confirmed: 0 });
        return void (await note(text));
      }
      case 'pass': {
        const wave = (await wavesOf(tx, row.seq)).at(-1);
        const verdict = verdictOn(situation);
        if (wave) await setWave(tx, row.seq, { ...wave, passed: now(), verdict: JSON.stringify(verdict) });
        await applyStep(tx, row, { state: 'Running', because: '' });
        return void (await note(`Wave ${row.wave + 1} passed: ${verdict.back} healthy, ${verdict.needed} required`));
      }
      case 'wait': {
        await applyStep(tx, row, { state: 'Waiting', because: decision.because });
        return void (await note(decision.because));
      }
      case 'pause':
        return pauseRollout(tx, row, { because: decision.because, at: now() });
      case 'succeed': {
        await applyStep(tx, row, { state: 'Succeeded', because: '', ended: now() });
        await note('All waves passed');
        return alertEnded(tx, row, { state: 'Succeeded', because: '' }, now());
      }
      case 'nothing':
    }
  };

  const isDone = ({ state, because }: RolloutRow, decision: Decision) =>
    decision.do === 'nothing' || (decision.do === 'wait' && state === 'Waiting' && because === decision.because);

  const step = async ({ account_id: account, id }: RolloutRow, joined: readonly string[]): Promise<boolean> =>
    db.write(
      async (tx) => {
        // Read again, because a person may have changed the rollout in the meantime.
        const row = await rolloutById(tx, wholeAccount(account), id);
        const situation = await situationOf(tx, row, now());
        const decision = decide(situation);
        if (isDone(row, decision)) return false;
        await apply(tx, row, { decision, situation, joined });
        return true;
      },
      { patient: true },
    );

  /** Fails a rollout whose artifact or workflow was deleted, so that no further wave can start. */
  const fail = (row: RolloutRow, { message, detail }: Refusal) =>
    db.write(async (tx) => {
      const because = [message, detail].filter(Boolean).join('. ');
      if (!(await applyStep(tx, row, { state: 'Failed', because, ended: now() }))) return;
      await noteStep(tx, row, { at: now(), actor: '', text: `Failed. ${because}`, reason: '' });
      await alertEnded(tx, row, { state: 'Failed', because }, now());
    });

  /**
   * Rollouts that merely wait, until when. They are checked earlier if a person takes a step or the clock is set back.
   */
  const waiting = new Map<number, { version: number; since: number; until: number }>();
  const onlyWaits = ({ seq, version }: RolloutRow): boolean => {
    const known = waiting.get(seq);
    return known?.version === version && now() >= known.since && now() < known.until;
  };

  const pace = openLookPace(steady);
  return async () => {
    const ended = await rolloutsToKeep(db);
    const rows = await openRollouts(db);
    pace.keep([...rows, ...ended].map(({ seq }) => seq));
    const open = new Set(rows.map(({ seq }) => seq));
    for (const seq of waiting.keys()) if (!open.has(seq)) waiting.delete(seq);
    for (const row of ended) await pace.look(row.seq, () => db.write((tx) => keepOutcomes(tx, row), { patient: true }));
    for (const row of rows) {
      if (onlyWaits(row)) continue;
      const situation = await pace.look(row.seq, () => situationOf(db, row, now()));
      const decision = situation && decide(situation);
      if (!decision) continue;
      if (isDone(row, decision)) {
        const until = waitsUntil(situation);
        if (until > situation.now) waiting.set(row.seq, { version: row.version, since: situation.now, until });
        continue;
      }
      try {
        // Several steps may follow each other: a wave passes, and the next one starts.
        const joined = decision.do === 'begin' || decision.do === 'pass' ? await newcomers(row) : [];
        while (await step(row, joined));
      } catch (cause) {
        if (!(cause instanceof Refusal)) throw cause;
        if (decision.do === 'begin') await fail(await rolloutById(db, wholeAccount(row.account_id), row.id), cause);
      }
    }
  };
}
