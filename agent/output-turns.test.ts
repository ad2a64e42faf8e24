// Output of two streams is sent in the order in which the command wrote it, also much later.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { AgentMessage } from '#/contract/agent-link.ts';
import { JobFollower } from './job-follower.ts';
import { TurnsReader, TurnsWriter } from './output-turns.ts';
import { supervise } from './supervise.ts';
import { testFolder, textOf, type TestFolder } from './test-folder.ts';
import type { JobFolder } from './job-folder.ts';

let at: TestFolder;
before(() => {
  at = testFolder();
});
after(() => at.remove());

/** What a follower sends of an ended job, with streams marked "o:" and "e:", and whether it sent the end. */
function sent(job: JobFolder, have = { stdout: 0, stderr: 0 }): { text: string; ended: boolean } {
  const messages: AgentMessage[] = [];
  const follower = new JobFollower('j', job, (message) => messages.push(message));
  follower.sendFrom(have);
  const read = { ...have };
  for (let stored = -1; stored < read.stdout + read.stderr;) {
    stored = read.stdout + read.stderr;
    for (const message of messages)
      if (message.type === 'output' && message.offset === read[message.stream])
        read[message.stream] += Buffer.from(message.data, 'base64').length;
    follower.sendFrom(read);
  }
  follower.stop();
  let text = '';
  let last = '';
  const seen = { ...have };
  for (const message of messages) {
    if (message.type !== 'output') continue;
    const bytes = Buffer.from(message.data, 'base64');
    const known = seen[message.stream] - message.offset;
    assert.ok(known >= 0, 'no hole');
    if (known >= bytes.length) continue;
    seen[message.stream] = message.offset + bytes.length;
    text += `${last === message.stream ? '' : ` ${message.stream === 'stdout' ? 'o' : 'e'}:`}${bytes.subarray(known).toString()}`;
    last = message.stream;
  }
  return { text: text.trimStart(), ended: messages.some(({ type }) => type === 'ended') };
}

test('both streams of a finished job are sent in the order in which they were written', async () => {
  const job = at.accept('echo one; sleep 0.2; echo two >&2; sleep 0.2; echo three; sleep 0.2; echo four >&2');
  await supervise(job);
  assert.equal(textOf(job, 'turns'), 'stdout 0 0\nstderr 4 0\nstdout 4 4\nstderr 10 4\n');
  assert.deepEqual(sent(job), { text: 'o:one\n e:two\n o:three\n e:four\n', ended: true });
  assert.deepEqual(sent(job, { stdout: 6, stderr: 4 }), { text: 'o:ree\n e:four\n', ended: true });
});

test('without turns, and with ones that say more or less than there is, all of it is sent', () => {
  const job = at.accept('true');
  const write = (name: string, text: string) => writeFileSync(job.file(name), text);
  write('stdout', 'aabb');
  write('stderr', 'xxyy');
  job.writeEnd({ outcome: 'exited', exitCode: 0, endedAt: Date.now() });
  assert.deepEqual(sent(job), { text: 'o:aabb e:xxyy', ended: true });
  write('turns', 'stderr 0 0\nstdout 0 2\nstd');
  assert.deepEqual(sent(job), { text: 'e:xx o:aabb e:yy', ended: true });
  write('turns', 'stderr 0 0\nstdout 0 99\nstderr 77 99\n');
  assert.deepEqual(sent(job), { text: 'e:xxyy o:aabb', ended: true });
  write('turns', 'garbage\n\n');
  assert.deepEqual(sent(job), { text: 'o:aabb e:xxyy', ended: true });
});

test('streams that take turns without end are noted up to a bound, and none of it is lost', () => {
  const file = at.accept('true').file('turns');
  const sizes = { stdout: 0, stderr: 0 };
  let now = 0;
  const writer = new TurnsWriter(
    file,
    () => sizes,
    () => now,
  );
  for (let n = 0; n < 10_000; n++) {
    const stream = n % 2 === 0 ? 'stdout' : 'stderr';
    writer.write(stream);
    sizes[stream] += 1;
  }
  now = 1_000;
  writer.write('stdout');
  writer.close();
  const reader = new TurnsReader(file);
  reader.update();
  const read = { stdout: 0, stderr: 0 };
  let steps = 0;
  for (let next; (next = reader.next(read, sizes)); steps++) read[next.stream] = next.to;
  assert.deepEqual(read, { stdout: 5_000, stderr: 5_000 });
  assert.ok(steps >= 1_000 && steps < 1_010, `${steps} steps`);
});
