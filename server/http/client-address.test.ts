// A forwarded address counts only from a trusted proxy.
import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { readConfig } from '../config.ts';
import { clientAddress } from './client-address.ts';

const ask = (TRUSTED_PROXY: string, remoteAddress: string, forwarded?: string) =>
  clientAddress(readConfig({ TRUSTED_PROXY }), {
    socket: { remoteAddress },
    headers: { 'x-forwarded-for': forwarded },
  } as unknown as IncomingMessage);

test('nobody is trusted unless named', () => assert.equal(ask('', '10.0.0.2', '1.2.3.4'), '10.0.0.2'));
test('a trusted proxy is believed', () => assert.equal(ask('10.0.0.2', '10.0.0.2', '1.2.3.4'), '1.2.3.4'));
test('what the client wrote in front is not', () =>
  assert.equal(ask('10.0.0.2', '10.0.0.2', '6.6.6.6, 1.2.3.4'), '1.2.3.4'));
test('a chain of trusted proxies is followed', () =>
  assert.equal(ask('10.0.0.0/8', '10.0.0.2', '6.6.6.6, 1.2.3.4, 10.0.0.3'), '1.2.3.4'));
test('nonsense ends the chain', () => assert.equal(ask('10.0.0.2', '10.0.0.2', 'unknown'), '10.0.0.2'));
test('IPv4 by way of IPv6 is IPv4, and an address has one form', () => {
  assert.equal(ask('10.0.0.2', '::ffff:10.0.0.2', '1.2.3.4'), '1.2.3.4');
  assert.equal(ask('10.0.0.2', '10.0.0.2', '::FFFF:102:304'), '1.2.3.4');
  assert.equal(ask('10.0.0.2', '10.0.0.2', '2001:DB8:0::1'), '2001:db8::1');
});
