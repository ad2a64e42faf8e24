import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deployMarks } from './deploy-marks.ts';

test('deploys that would cover each other are one mark', () => {
  const deploy = (at: number, name: string) => ({ at, name, to: `/jobs/${name}` });
  const deploys = [deploy(51, 'b'), deploy(50, 'a'), deploy(90, 'c'), deploy(200, 'd'), deploy(60, 'e')];
  const marksOn = (isPhone: boolean) =>
    deployMarks(deploys, { from: 0, to: 100 }, { all: '/jobs', Icon: () => null, isPhone });
  const marks = marksOn(false);
  assert.deepEqual(
    marks.map(({ at, label, to }) => [at, label, to]),
    [
      [50, '2 deploys: a, b', '/jobs'],
      [60, 'Deploy of e', '/jobs/e'],
      [90, 'Deploy of c', '/jobs/c'],
    ],
  );
  assert.deepEqual(
    marksOn(true).map(({ at, label }) => [at, label]),
    [
      [50, '3 deploys: a, b, e'],
      [90, 'Deploy of c'],
    ],
  );
});
