// Which tunnels are marked, and which of them a filter shows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tunnel, type Tunnel } from '#/contract/tunnels.ts';
import { exposuresOf, isTunnelShown, tunnelsUrl } from './exposure.ts';

const now = new Date('2026-11-10T12:00:00Z');
const aTunnel = (fields: object): Tunnel => tunnel.parse({ Name: 't', ...fields });
const marks = (fields: object, days = 7) => exposuresOf(aTunnel(fields), now, days);

test('only what the service reports about a tunnel is marked', () => {
  assert.deepEqual(marks({}), []);
  assert.deepEqual(marks({ Created: 'a while ago', Auth: 'Basic', DeviceStatus: 'Online' }), []);
  assert.deepEqual(marks({ Auth: 'None', DeviceStatus: 'Offline' }), ['public', 'offline']);
  const Created = 'Nov 3 2026 11:59 AM';
  assert.deepEqual(marks({ Created }), ['old']);
  assert.deepEqual(marks({ Created }, 30), []);
});

test('filters come from the URL, and values it cannot have are ignored', () => {
  const view = (search: string) => tunnelsUrl.read(search);
  assert.deepEqual(view(''), { device: '', protocol: '', exposure: undefined });
  assert.deepEqual(view('exposure=odd&days=30'), view(''));
  const one = aTunnel({ DeviceId: 'd1', DeviceName: 'pump', Protocol: 'tcp' });
  const shown = (search: string, found: Parameters<typeof isTunnelShown>[1] = []) =>
    isTunnelShown(one, found, view(search));
  assert.ok(shown('device=d1&protocol=TCP'));
  assert.ok(!shown('device=pump'));
  assert.ok(!shown('exposure=any') && shown('exposure=any', ['old']));
  assert.ok(!shown('exposure=public', ['old']) && shown('exposure=public', ['old', 'public']));
});
