import assert from 'node:assert/strict';
import { test } from 'node:test';
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
