// A device that has BusyBox and curl, from the pasted line to the output of an archive, with the real service.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { shellAgent } from '../shell-agent.ts';
import { until } from '../test-process.ts';
import { testFleet } from '../../server/test-fleet.ts';
import { startTestService } from '../../server/test-service.ts';
import { busyBoxPath, testWith } from '../../agent/sh/test-busybox.ts';

const base = mkdtempSync(path.join(tmpdir(), 'muster-busybox-'));
after(() => rmSync(base, { recursive: true, force: true }));

testWith('busybox', 'a device of BusyBox and curl is installed, unpacks an archive and runs it', async (busybox) => {
  writeFileSync(path.join(base, 'agent.sh'), shellAgent());
  const service = await startTestService({}, undefined, undefined, { agentFile: path.join(base, 'agent.mjs') });
  const home = path.join(base, 'muster');
  const env = { PATH: busyBoxPath(busybox, base), HOME: base, MUSTER_HOME: home };
  const run = (line: string) => {
    const { status, stdout, stderr } = spawnSync(busybox, ['sh', '-c', line], { env, encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
    return stdout;
  };
  let control = '';
  try {
    const fleet = testFleet((...request) => service.call(...request));
    const { id, key } = await fleet.device('', 'router');
    writeFileSync(path.join(base, 'install.sh'), await (await service.call('GET', '/install.sh')).text());
    // Not spawnSync: this process is the service, and must answer meanwhile.
    const install = spawn(busybox, ['sh', path.join(base, 'install.sh'), '--sh'], {
      env: { ...env, DEVICE_KEY: key },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let printed = '';
    for (const stream of [install.stdout, install.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
    const code = await new Promise((resolve) => install.on('close', resolve));
    assert.equal(code, 0, printed);
    control = `sh '${path.join(home, readdirSync(home)[0] ?? '', 'muster-agent')}'`;
    await until('it to be Online', async () => (await fleet.status(id)) === 'Online');

    mkdirSync(path.join(base, 'app'));
    writeFileSync(path.join(base, 'app/update.sh'), '#!/bin/sh\ncat payload; echo "$MUSTER_JOB_ID" >&2; exit 4\n', {
      mode: 0o755,
    });
    writeFileSync(path.join(base, 'app/payload'), 'the payload\n');
    execFileSync('tar', ['-czf', 'app_1.0.0.tar.gz', '-C', base, 'app'], { cwd: base });
    const form = new FormData();
    const fields = { size: '1', version: '1.0.0', type: 'tar.gz' };
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append('file', new File([readFileSync(path.join(base, 'app_1.0.0.tar.gz'))], 'app_1.0.0.tar.gz'));
    const uploaded = await service.call('POST', '/v1/artifact', form);
    assert.equal(uploaded.status, 200, await uploaded.clone().text());
    const { ArtifactId } = (await uploaded.json()) as { ArtifactId: string };
    const job = await fleet.submit({ DeviceId: id, ArtifactId });
    const ended = await fleet.ended(job);
    assert.deepEqual(
      [ended.Status, ended.ExitCode, ended.Stdout, ended.Stderr],
      ['Failed', 4, 'the payload\n', `${job}\n`],
    );
    assert.match(run(`${control} status`), /^running, process \d+; version \S+, connected/);
  } finally {
    if (control) run(`${control} remove`);
    await service.end();
  }
});
