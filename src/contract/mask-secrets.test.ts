import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRefusal } from '#/contract/refusal.ts';
import { hideSecret, withoutDownloadTokens, withoutSecrets } from '#/contract/mask-secrets.ts';

const KEY = 'mdk_Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFy';

test('an error that echoes a secret is shown without it, in any format', () => {
  for (const body of [
    JSON.stringify({ title: `No ${KEY}`, detail: `${KEY} is unknown`, errors: [{ field: 'F', message: KEY }] }),
    JSON.stringify({ message: `Bearer 0123456789abcdef is not valid` }),
    JSON.stringify({ DeviceKey: 'any-form-at-all', Token: 'another-form' }),
    `GET /v1/x?token=0123456789abcdef failed`,
    `Authorization: Bearer 0123456789abcdef`,
    `upstream said {"DeviceKey": "any-form-at-all"}`,
  ]) {
    const shown = JSON.stringify(readRefusal(body));
    assert.doesNotMatch(shown, /Zm9v|0123456789abcdef|any-form-at-all|another-form/, body);
    assert.match(shown, /…/, body);
  }
  assert.equal(readRefusal('The token is not valid').detail, 'The token is not valid');
});

test('the token in use is masked although it has no known format', () => {
  const said = 'no account for plain-old-token here';
  assert.equal(withoutSecrets(said), said);
  hideSecret('plain-old-token');
  assert.equal(withoutSecrets(said), 'no account for … here');
  hideSecret('no');
  assert.equal(withoutSecrets(said), 'no account for … here', 'too short to be told from a word');
});

test('the token of a download link is masked without changing its length', () => {
  const command = "curl 'https://x.example/download/abc?job=j1&expires=17&token=s3cr-et_' -o f";
  const shown = withoutDownloadTokens(command);
  assert.equal(shown, command.replace('s3cr-et_', '••••••••'));
  assert.equal(withoutDownloadTokens(shown), shown);
  assert.equal(withoutDownloadTokens('token=plain'), 'token=plain');
});
