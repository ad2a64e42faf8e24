import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../config-error.ts';
import { credentialsOf, readBusUrl } from './bus-url.ts';

const read = (text: string) => {
  const url = readBusUrl(text);
  assert.ok(url);
  return { address: `${url.protocol}//${url.host}`, ...credentialsOf(url) };
};

test('BUS_URL is the address of a NATS server, with a user or a token', () => {
  assert.equal(readBusUrl(undefined), undefined);
  assert.equal(readBusUrl('  '), undefined);
  assert.deepEqual(read(' nats://bus.example.com '), { address: 'nats://bus.example.com' });
  assert.deepEqual(read('tls://[::1]:4443/'), { address: 'tls://[::1]:4443' });
  assert.deepEqual(read('nats://me:a%3Ab%40c@host:4222'), { address: 'nats://host:4222', user: 'me', pass: 'a:b@c' });
  assert.deepEqual(read('nats://t0ken@host'), { address: 'nats://host', token: 't0ken' });
});

test('what it cannot be is one sentence, which does not repeat it', () => {
  for (const [text, pattern] of [
    ['redis://user:s3cret@host', /must be the address of a NATS server/],
    ['nats://', /must be the address/],
    ['nats:host', /must be the address/],
    ['nats://user:s3cret@host/muster', /must be the address/],
    ['nats://user:s3cret@one:4222,two:4222', /must be the address/],
    ['user:s3cret@host', /must be the address/],
    ['nats://user:s3cret@host?tls=1', /%3F/],
    ['nats://:s3cret@host', /no user/],
    ['nats://user:s3cret%@host', /%25/],
  ] as const)
    assert.throws(
      () => readBusUrl(text),
      (cause) => cause instanceof ConfigError && pattern.test(cause.message) && !cause.message.includes('s3cret'),
      text,
    );
});
