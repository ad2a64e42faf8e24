import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deviceEndpoints } from '#/contract/devices.ts';
import { jobEndpoints } from '#/contract/jobs.ts';
import { tunnelEndpoints } from '#/contract/tunnels.ts';
import { Problem } from '../http/problem.ts';
import { openShapes } from './upstream-shapes.ts';

const shapeOf = openShapes([deviceEndpoints, jobEndpoints, tunnelEndpoints]);
const target = (method: string, url: string) => shapeOf(method, url)?.target;

test('only methods and paths of the contract are known', () => {
  assert.equal(target('GET', '/v1/devices/1/25'), '/v1/devices/1/25');
  assert.equal(shapeOf('GET', '/v1/device/d1/queue')?.endpoint, jobEndpoints.ofDevice);
  assert.equal(shapeOf('GET', '/v1/devices/location')?.endpoint, deviceEndpoints.locations);
  assert.equal(shapeOf('DELETE', '/v1/tunnels')?.endpoint, tunnelEndpoints.removeAll);
  for (const [method, url] of [
    ['GET', '/v1/admin'],
    ['PUT', '/v1/devices/d1'],
    ['DELETE', '/v1/devices'],
    ['DELETE', '/v1/tunnels/'],
    ['GET', '//v1/devices/location'],
    ['GET', '/v1/job/a/b/c'],
  ] as const)
    assert.equal(target(method, url), undefined, `${method} ${url}`);
});

test('the path is written anew: other spellings do not get through, other conditions are refused', () => {
  assert.equal(target('GET', '/v1/job/a%20b?'), '/v1/job/a%20b');
  assert.throws(() => shapeOf('GET', '/v1/job/a%20b?admin=1'), Problem);
  assert.throws(() => shapeOf('GET', '/v1/devices/1/25/filters?device_name=a&debug=1'), Problem);
  assert.equal(
    target('GET', '/v1/devices/01/25/filters?device_name=a%26b&device_status=Online'),
    '/v1/devices/1/25/filters?device_name=a%26b&device_status=Online',
  );
});

test('what another server could take for another path is refused', () => {
  for (const part of [
    '..',
    '.',
    '%2e%2e',
    '%2E',
    '%252e%252e',
    'a%2F..%2Fb',
    'a%2F%252e%252e%2Fb',
    'a%2F%2Fb',
    '%2Fa',
    'a%5cb',
    '%00',
    '%',
    'a%0d%0ab',
    'x'.repeat(300),
  ])
    assert.throws(() => shapeOf('DELETE', `/v1/tunnels/${part}`), Problem, part);
  assert.throws(() => shapeOf('DELETE', '/v1/devices/a%2Fb'), Problem);
  assert.equal(shapeOf('DELETE', '/v1/tunnels/lab%2Fcam%201')?.target, '/v1/tunnels/lab%2Fcam%201');
  assert.throws(() => shapeOf('GET', '/v1/devices/0/25'), Problem);
  assert.throws(() => shapeOf('GET', '/v1/devices/1/100000'), Problem);
});
