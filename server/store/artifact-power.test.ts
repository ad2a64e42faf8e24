// An artifact whose upload was answered is whole after a power cut that loses all that was not synced.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { UnsafeDisk } from '../../scripts/test-power.ts';
import { testFleet } from '../test-fleet.ts';
import { startTestService } from '../test-service.ts';

test('the file of an artifact and its name are on the disk when its upload is answered', async (t) => {
  const service = await startTestService();
  // In an S3 store the files are elsewhere.
  if (service.s3) return t.skip();
  const folder = path.join(service.dataDir, 'artifacts');
  const rest = path.join(mkdtempSync(path.join(tmpdir(), 'muster-power-')), 'rest');
  const disk = new UnsafeDisk(folder);
  try {
    const fleet = testFleet((...request) => service.call(...request));
    const uploaded = [await fleet.artifact('one.sh', '1'), await fleet.artifact('two.sh', '2')];
    const bytes = (at: string) => uploaded.map((id) => readFileSync(path.join(at, id), 'utf8'));
    disk.writeRest(rest, () => 0);
    assert.deepEqual(bytes(rest), bytes(folder));
    assert.ok(uploaded.every((id) => readdirSync(rest).includes(id)));
  } finally {
    disk.restore();
    disk.forget();
    rmSync(path.dirname(rest), { recursive: true, force: true });
    await service.end();
  }
});
