import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FleetReplay, readReplay } from './replay-data.ts';
import { ReplayPlayer } from './replay-player.ts';

const SPAN = { from: 0, to: 100_000 };

test('it plays at its speed, pauses at the end, and starts again from the beginning', () => {
  const player = new ReplayPlayer(SPAN, 40_000);
  player.advance(16, 1000);
  assert.deepEqual(player.moment.get(), { at: 40_000, isPlaying: false });
  player.play();
  player.advance(16, 1000);
  assert.deepEqual(player.moment.get(), { at: 56_000, isPlaying: true });
  player.advance(50, 1000);
  assert.deepEqual(player.moment.get(), { at: 100_000, isPlaying: false });
  assert.deepEqual(player.glance.get(), player.moment.get());
  player.toggle();
  assert.deepEqual(player.moment.get(), { at: 0, isPlaying: true });
});

test('it plays what is known, from the first event on, and skips to the others', () => {
  const answer = {
    From: new Date(0).toISOString(),
    Devices: ['a'],
    States: '-',
    Changes: { Seconds: [60, 80], Device: [0, 0], State: 'OF' },
    Gaps: [],
  };
  const player = new ReplayPlayer(SPAN, 0);
  player.show(
    new FleetReplay(readReplay(JSON.stringify(answer), SPAN.to), {
      isShown: Uint8Array.of(1),
      placeOf: Int32Array.of(0),
      places: 1,
    }),
  );
  assert.equal(player.moment.get().at, 60_000);
  player.skip(1);
  player.skip(1);
  assert.equal(player.moment.get().at, 80_000);
  player.seek(0);
  assert.equal(player.glance.get().at, 60_000);
  player.seek(SPAN.to);
  player.play();
  assert.deepEqual(player.moment.get(), { at: 60_000, isPlaying: true });
});

test('text follows a few times a second while it plays, and at once when it is moved', () => {
  const player = new ReplayPlayer(SPAN, 0);
  player.play();
  const glances: number[] = [];
  player.glance.subscribe(() => glances.push(player.glance.get().at));
  for (let frame = 0; frame < 40; frame++) player.advance(16, 60);
  assert.deepEqual(glances, [15_360, 30_720]);
  player.seek(50_000);
  assert.deepEqual(glances.at(-1), 50_000);
  player.seek(500_000);
  assert.deepEqual(glances.at(-1), SPAN.to);
});
