// An invalid value stops the start with a sentence that names it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from './config-error.ts';
import { readConfig } from './config.ts';

test('without any environment everything has a default', () => {
  const config = readConfig({});
  assert.equal(config.host, '127.0.0.1');
  assert.equal(config.port, 8080);
  assert.equal(config.maxDevices, 10_000);
  assert.equal(config.artifactMax, 10 * 1024 * 1024);
  assert.equal(config.artifactQuota, 1024 * 1024 * 1024);
  assert.deepEqual([config.outputQuota, config.outputDays], [10 * 1024 * 1024 * 1024, undefined]);
  assert.equal(config.signinLimit, 10);
  assert.equal(config.publicUrl, undefined);
  assert.equal(config.isTrustedProxy('127.0.0.1'), false);
});

test('the storage has room for ten artifacts of the largest size, unless it is set', () => {
  const quotaMb = (env: Record<string, string>) => readConfig(env).artifactQuota / 1024 / 1024;
  assert.equal(quotaMb({ ARTIFACT_MAX_MB: '2048' }), 20_480);
  assert.equal(quotaMb({ ARTIFACT_MAX_MB: '2048', ARTIFACT_QUOTA_MB: '3000' }), 3000);
});

test('an empty value is no value', () => assert.equal(readConfig({ PORT: '', PUBLIC_URL: ' ' }).port, 8080));

const bad: [name: string, value: string][] = [
  ['PORT', '65536'],
  ['PORT', '80a'],
  ['PORT', '-1'],
  ['HOST', 'not a host'],
  ['ACCOUNT_EMAIL', 'nobody'],
  ['MAX_DEVICES', '0'],
  ['MAX_DEVICES', '1.5'],
  ['ARTIFACT_MAX_MB', '10241'],
  ['ARTIFACT_MAX_MB', '0'],
  ['ARTIFACT_QUOTA_MB', 'lots'],
  ['JOB_OUTPUT_MB', '0'],
  ['JOB_OUTPUT_DAYS', '1.5'],
  ['MAP_TILES_URL', 'tiles'],
  ['MAP_TILES_URL', 'https://tiles.example.com/{z}/{x}.png'],
  ['MAP_TILES_URL', 'https://{s}.tiles.example.com/{z}/{x}/{y}.png'],
  ['MAP_TILES_URL', "https://tiles.example.com/{z}/{x}/{y}.png; script-src 'unsafe-inline'"],
  ['MAP_TILES_URL', 'file:///tiles/world.pmtiles'],
  ['MAP_ATTRIBUTION', 'Somebody'],
  ['PUBLIC_URL', 'muster.example.com'],
  ['PUBLIC_URL', 'ftp://muster.example.com'],
  ['PUBLIC_URL', 'https://muster.example.com/path'],
  ['PUBLIC_URL', 'https://user:password@muster.example.com'],
  ['TRUSTED_PROXY', 'proxy'],
  ['TRUSTED_PROXY', '10.0.0.0/33'],
  ['TRUSTED_PROXY', '10.0.0.0/8/8'],
  ['SIGNIN_LIMIT', '0'],
  ['TUNNEL_PORT', 'x'],
  ['TUNNEL_DOMAIN', '127.0.0.1'],
  ['TUNNEL_SCHEME', 'ftp'],
  ['TUNNEL_TCP_PORTS', '5-1'],
  ['AUTH_TOKEN', 'two words'],
  ['TLS_CERT', '/no/such/file'],
];
for (const [name, value] of bad)
  test(`${name}=${value} is refused by name`, () => {
    assert.throws(
      () => readConfig({ [name]: value, ...(name === 'TLS_CERT' && { TLS_KEY: '/no/such/key' }) }),
      (cause: Error) => cause instanceof ConfigError && cause.message.includes(name) && cause.message.endsWith('.'),
    );
  });

test('a refused AUTH_TOKEN is not repeated', () => {
  assert.throws(
    () => readConfig({ AUTH_TOKEN: 'secret words' }),
    (cause: Error) => !cause.message.includes('secret'),
  );
});

test('half of a certificate is refused', () => {
  assert.throws(() => readConfig({ TLS_KEY: '/no/such/key' }), /belong together/);
});

test('PUBLIC_URL is reduced to its origin', () => {
  assert.equal(readConfig({ PUBLIC_URL: 'https://Muster.Example.com:443/' }).publicUrl, 'https://muster.example.com');
});

test('trusted proxies are single addresses, networks, or this machine', () => {
  const { isTrustedProxy } = readConfig({ TRUSTED_PROXY: '10.0.0.0/8, 192.168.1.1, loopback, fd00::/8' });
  for (const address of ['10.9.8.7', '192.168.1.1', '127.0.0.1', '::1', 'fd00::5'])
    assert.ok(isTrustedProxy(address), address);
  for (const address of ['11.0.0.1', '192.168.1.2', 'fe80::1', '']) assert.ok(!isTrustedProxy(address), address);
});

test('tiles are a pattern or one file', () => {
  const url = 'https://tiles.example.com/{z}/{x}/{y}.png?key=1';
  assert.deepEqual(readConfig({ MAP_TILES_URL: url, MAP_ATTRIBUTION: '© Somebody' }).mapTiles, {
    url,
    attribution: '© Somebody',
  });
  const file = 'http://127.0.0.1:9000/world.pmtiles';
  assert.deepEqual(readConfig({ MAP_TILES_URL: file }).mapTiles, { url: file, attribution: '' });
});

test('UPSTREAM_URL is a base address over TLS, or on this machine', () => {
  const read = (UPSTREAM_URL: string) => readConfig({ UPSTREAM_URL }).upstreamUrl?.href;
  assert.equal(read('https://api.example.com'), 'https://api.example.com/');
  assert.equal(read('https://example.com/iot/'), 'https://example.com/iot/');
  for (const host of ['127.0.0.1:9', 'localhost:9', '[::1]:9']) assert.equal(read(`http://${host}`), `http://${host}/`);
  for (const refused of [
    'api.example.com',
    'ftp://example.com',
    'http://api.example.com',
    'http://127.0.0.1.example.com',
    'https://user:secret@example.com',
    'https://example.com/?to=x',
    'https://example.com/v1',
  ])
    assert.throws(() => read(refused), /UPSTREAM_URL/, refused);
});

test('INSTALL_COMMAND is one line with a place for the key, and belongs to a gateway', () => {
  const read = (INSTALL_COMMAND: string, UPSTREAM_URL = 'https://api.example.com') =>
    readConfig({ INSTALL_COMMAND, UPSTREAM_URL }).installCommand;
  assert.equal(read('sh agent.sh --key {key}'), 'sh agent.sh --key {key}');
  for (const refused of ['sh agent.sh', "sh -c '{key}'", 'one {key}\ntwo'])
    assert.throws(() => read(refused), /INSTALL_COMMAND/, refused);
  assert.throws(() => read('sh {key}', ''), /UPSTREAM_URL is not/);
});

test('an S3 store: bucket and prefix, with keys; errors do not repeat them', () => {
  const keys = { AWS_ACCESS_KEY_ID: 'AKIA1', AWS_SECRET_ACCESS_KEY: 'secret/+' };
  const of = (env: Record<string, string>) => readConfig({ ...keys, ...env }).artifactStore;
  assert.equal(of({}), undefined);
  assert.deepEqual(of({ ARTIFACT_STORE_URL: 's3://my-bucket/a/b/' }), {
    address: 's3://my-bucket/a/b',
    bucket: 'my-bucket',
    prefix: 'a/b/',
    endpoint: undefined,
    region: 'us-east-1',
    accessKeyId: 'AKIA1',
    secretAccessKey: 'secret/+',
    sessionToken: undefined,
  });
  assert.equal(of({ ARTIFACT_STORE_URL: 's3://my-bucket' })?.prefix, '');
  const refused = (env: Record<string, string>, says: RegExp) =>
    assert.throws(
      () => of({ ARTIFACT_STORE_URL: 's3://my-bucket/a', ...env }),
      (cause) => cause instanceof ConfigError && says.test(cause.message) && !/secret/.test(cause.message),
    );
  for (const url of [
    'https://my-bucket',
    's3://',
    's3://My_Bucket',
    's3://b/a',
    's3://my-bucket/a//b',
    's3://my-bucket/../x',
    's3://my-bucket/a b',
  ])
    refused({ ARTIFACT_STORE_URL: url }, /^ARTIFACT_STORE_URL is ".*", but it must be/);
  refused({ AWS_ACCESS_KEY_ID: '' }, /ARTIFACT_STORE_URL is set, but AWS_ACCESS_KEY_ID is not/);
  refused({ AWS_SECRET_ACCESS_KEY: 'a secret' }, /AWS_SECRET_ACCESS_KEY holds/);
  refused({ AWS_REGION: 'EU 1' }, /AWS_REGION/);
  refused({ AWS_ENDPOINT_URL: 'https://me:secret@s3.example.com' }, /AWS_ENDPOINT_URL is "https:\/\/s3\.example\.com"/);
});

test('alerts: where they may go, and a server for e-mail whose password no error repeats', () => {
  const of = (env: Record<string, string>) => readConfig(env).alerts;
  assert.deepEqual(of({}), { allowPrivate: false, email: undefined });
  const SMTP_URL = 'smtps://user:secret@mail.example.com:465';
  const SMTP_FROM = 'muster@example.com';
  assert.deepEqual(of({ SMTP_URL, SMTP_FROM, ALERT_PRIVATE_TARGETS: '1' }), {
    allowPrivate: true,
    email: { url: SMTP_URL, from: SMTP_FROM },
  });
  for (const [env, says] of [
    [{ ALERT_PRIVATE_TARGETS: 'yes' }, /^ALERT_PRIVATE_TARGETS is "yes"/],
    [{ SMTP_URL }, /SMTP_FROM is not/],
    [{ SMTP_FROM }, /SMTP_URL is not/],
    [{ SMTP_URL: 'https://user:secret@mail.example.com', SMTP_FROM }, /^SMTP_URL is not the address/],
    [{ SMTP_URL: 'mail.example.com', SMTP_FROM }, /^SMTP_URL is not the address/],
    [{ SMTP_URL, SMTP_FROM: 'Muster <m@example.com>' }, /^SMTP_FROM is/],
  ] as const)
    assert.throws(
      () => of(env),
      (cause) => cause instanceof ConfigError && says.test(cause.message) && !/secret/.test(cause.message),
    );
});
