import assert from 'node:assert/strict';
import { test } from 'node:test';
import { currentAccount } from '#/lib/stored.ts';
import { rememberSubmitted, submittedAs } from './submitted.ts';

const texts = new Map<string, string>();
const storage = {
  getItem: (key: string) => texts.get(key) ?? null,
  removeItem: (key: string) => void texts.delete(key),
  setItem: (key: string, text: string) => void texts.set(key, text),
};
Object.assign(globalThis, { window: new EventTarget() });
Object.defineProperty(globalThis, 'localStorage', { value: storage });

test('what a job or its parent ran is remembered, for this account and the latest jobs', () => {
  currentAccount.set('ann');
  for (let number = 0; number < 310; number++) rememberSubmitted({ JobId: `j${number}`, ArtifactId: `a${number}` });
  rememberSubmitted({ JobId: 'w', WorkflowId: 'w1' });
  rememberSubmitted({ JobId: 'retry' });
  assert.equal(submittedAs('j309')?.ArtifactId, 'a309');
  assert.equal(submittedAs('child', 'w')?.WorkflowId, 'w1');
  for (const forgotten of ['j5', 'retry']) assert.equal(submittedAs(forgotten, undefined), undefined);
  assert.ok((texts.get('muster-submitted:ann')?.length ?? 0) < 20_000);
  currentAccount.set('bob');
  assert.equal(submittedAs('j309'), undefined);
});
