// What a shell makes of the command lines: each value arrives as it was, and nothing else is run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { curlText, shellQuoted } from './curl-text.ts';

const HOSTILE = [
  `it's "quoted" $(touch /tmp/x) \`id\` \${HOME} \\ !! ; rm -rf / #`,
  `'; echo owned; '`,
  '-o /etc/passwd',
  'first\nsecond\r\tthird',
  '\u001b[201~echo owned\u0007\u009b31m',
  "\u202Egnp.exe' !x \\n",
  'ünïcode 日本 👩‍💻',
  '@/etc/passwd',
  '',
];

/** The words that a shell hands to the command `curl`. */
function words(command: string, shell = 'bash'): string[] {
  const { stdout, status, stderr } = spawnSync(shell, ['-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', TOKEN: 'secret' },
  });
  assert.equal(status, 0, stderr);
  return stdout.split('\0').slice(0, -1);
}

test('every value is quoted as one word', () => {
  assert.deepEqual(words(`curl ${HOSTILE.map(shellQuoted).join(' ')}`), HOSTILE);
});

test('without control characters, the quoting is plain POSIX sh', () => {
  const plain = HOSTILE.filter((value) => !shellQuoted(value).startsWith('$'));
  assert.deepEqual(words(`curl ${plain.map(shellQuoted).join(' ')}`, 'sh'), plain);
});

test('no line has control characters or direction marks', () => {
  const text = curlText(
    { method: 'POST', path: '/v1/x', body: { DeviceName: HOSTILE.join(' ') }, form: { version: HOSTILE.join(' ') } },
    'https://muster.example',
  );
  // oxlint-disable-next-line no-control-regex
  assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
});

test('a read has the address and a variable for the token', () => {
  const text = curlText({ method: 'GET', path: '/v1/devices/1/25?device_name=a%27b' }, 'http://127.0.0.1:8080');
  assert.equal(
    text,
    `curl 'http://127.0.0.1:8080/v1/devices/1/25?device_name=a%27b' \\\n  -H "Authorization: Bearer $TOKEN"`,
  );
  assert.deepEqual(words(text), [
    'http://127.0.0.1:8080/v1/devices/1/25?device_name=a%27b',
    '-H',
    'Authorization: Bearer secret',
  ]);
});

test('a body arrives as the same JSON', () => {
  const body = { Lat: 1.5, DeviceName: HOSTILE.join('|') };
  const sent = words(curlText({ method: 'POST', path: '/v1/devices', body }, 'https://muster.example'));
  assert.deepEqual(sent.slice(0, 3), ['-X', 'POST', 'https://muster.example/v1/devices']);
  assert.deepEqual(JSON.parse(sent.at(-1) ?? ''), body);
});

test('a form names its file, and no value is taken for a file name', () => {
  const request = {
    method: 'POST',
    path: '/v1/artifact',
    form: { version: '@/etc/passwd', command: undefined },
    file: 'a "b" \\c.sh',
  };
  assert.deepEqual(words(curlText(request, 'https://muster.example')).slice(5), [
    '--form-string',
    'version=@/etc/passwd',
    '-F',
    'file=@"a \\"b\\" \\\\c.sh"',
  ]);
});
