// Tokens in Commands of this and other services are never shown on the screen.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskToken } from './mask-token.ts';

const SECRET = 'kJ8s-0Qw_eRt5YuIo7PaSd';
const SUM = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
const ID = '0199f2c4-7a1e-7cc3-9b5e-3f2a1c0d4e5f';

test('wherever the token is', () => {
  for (const command of [
    `url='https://muster.example/download/${ID}?expires=1793&token=${SECRET}'; curl -o x "$url"`,
    `curl 'https://x.example/a?token=${SECRET}&v=1'`,
    `curl -H 'Authorization: Bearer ${SECRET}' https://x.example/a`,
    `wget --header="Authorization: Bearer ${SECRET}" https://x.example/a`,
    `TOKEN='${SECRET}' sh get.sh`,
    `DOWNLOAD_TOKEN=${SECRET}; get`,
    `curl https://x.example/dl/${SECRET}Abc1/file`,
    `curl 'https://s3.example/a?X-Amz-Credential=AKIA1&X-Amz-Signature=${SECRET}'`,
  ]) {
    const masked = maskToken(command, [ID, SUM]);
    assert.ok(!masked.includes(SECRET), masked);
    assert.ok(masked.includes('••••••••'), masked);
  }
});

test('the rest stays readable', () => {
  const rest = `mkdir -p '/opt/app' && cd '/opt/app'; work=$(mktemp -d ./.muster.XXXXXX); curl -fsSL --connect-timeout 60 -o "$work/artifact" "$url"; sha256sum --check-everything-carefully`;
  assert.equal(maskToken(rest), rest);
  const known = `case $sum in '${SUM}'*) ;; esac; get /download/${ID}`;
  assert.equal(maskToken(known, [ID, SUM, undefined]), known);
  const name = 'sensor-agent-of-the-north-plant_0.9.12-rc.1-linux-arm64.tar.gz';
  assert.equal(maskToken(`echo 'Cannot download ${name}'`, [name]), `echo 'Cannot download ${name}'`);
});
