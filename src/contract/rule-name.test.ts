import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ruleNameOf } from './rule-name.ts';

test('all versions of an artifact have one name', () => {
  for (const [file, version] of [
    ['myapp_1.2.0.tar.gz', '1.2.0'],
    ['myapp_1.3.0-rc.1.tar.gz', ''],
    ['myapp-v2.0.tgz', '2.0'],
    ['myapp-7.tar.gz', '7'],
    ['myapp1.2.0.tar.gz', '1.2.0'],
    ['myapp.sh', '1.0.0'],
  ] as const)
    assert.equal(ruleNameOf(file, version), 'myapp', file);
  assert.equal(ruleNameOf('sensor-2_firmware-1.4.0.tar.gz', '1.4.0'), 'sensor-2_firmware');
  assert.equal(ruleNameOf('sha256.sh', '1'), 'sha256');
  assert.equal(ruleNameOf('sha256.sh', '256'), 'sha256');
  assert.equal(ruleNameOf('rpi4.tar.gz', '4'), 'rpi4');
  assert.equal(ruleNameOf('rpi5.tar.gz', '5'), 'rpi5');
  assert.equal(ruleNameOf('rpi4-5.tar.gz', '5'), 'rpi4');
  assert.equal(ruleNameOf('1.0.0', '1.0.0'), '1.0.0');
  assert.equal(ruleNameOf('.sh'), '.sh');
});
