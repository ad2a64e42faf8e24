// Archives made to harm what unpacks them: browser and service both refuse each, for the same reason.
import { execFile } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { constants, deflateRawSync } from 'node:zlib';
import { expectBlocked } from './blocked.ts';
import { expect, test, type Service } from './fixtures.ts';
import { browse, finding, form, namesOf, openArtifacts, saved, HAS_ERRORS, uploadButton } from './uploads.ts';

const run = promisify(execFile);

/** A gzip file of 600 MB of zeros behind a good update.sh, though it has only a few hundred kilobytes. */
async function bomb(service: Service): Promise<string> {
  const options = { finishFlush: constants.Z_FULL_FLUSH };
  const folder = await service.folder('bomb');
  await writeFile(path.join(folder, 'update.sh'), '#!/bin/sh\n');
  await run('sh', ['-c', 'truncate -s 600M zeros && tar -cf - update.sh zeros | head -c 3072 >head.tar'], {
    cwd: folder,
  });
  const head = deflateRawSync(await readFile(path.join(folder, 'head.tar')), options);
  const megabyte = deflateRawSync(new Uint8Array(1024 * 1024), options);
  const start = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
  return saved(service, 'bomb.tar.gz', Buffer.concat([start, head, ...Array.from({ length: 600 }, () => megabyte)]));
}

/** Archives that nobody should unpack, with the reason to refuse each. */
async function hostileArchives(service: Service): Promise<[archive: string, says: RegExp][]> {
  const folder = await service.folder('hostile');
  for (const [name, text] of [
    ['update.sh', '#!/bin/sh\n'],
    ['evil', 'x'],
  ] as const)
    await writeFile(path.join(folder, name), text);
  await chmod(path.join(folder, 'evil'), 0o4755);
  const tar = async (name: string, script: string) => {
    const archive = await saved(service, name, '');
    await run('sh', ['-c', script, 'sh', archive], { cwd: folder });
    return archive;
  };
  return [
    [
      await tar('climbs.tar.gz', `tar -czPf "$1" --transform 's,evil,../evil,' --mode=644 update.sh evil`),
      /"\.\.\/evil", which leads out/,
    ],
    [
      await tar('link.tar.gz', `ln -sfn /etc out; tar -czf "$1" update.sh out; rm out`),
      /a link to the absolute path "\/etc"/,
    ],
    [await tar('setuid.tar.gz', `tar -czf "$1" update.sh evil`), /setuid/],
    [await tar('device.tar.gz', `mkfifo p; tar -czf "$1" update.sh p; rm p`), /a device or pipe/],
    [await bomb(service), /unpacks to more than 512 MB/],
  ];
}

test('a hostile archive is refused by browser and service alike', async ({ signedIn: page, service }) => {
  const archives = await hostileArchives(service);
  await openArtifacts(page, service);
  await browse(
    page,
    archives.map(([archive]) => archive),
  );
  for (const [archive, says] of archives) {
    const name = path.basename(archive);
    await expect(finding(form(page, name), 'Error').first()).toHaveText(says);
    await expectBlocked(uploadButton(form(page, name)), HAS_ERRORS);
    const data = new FormData();
    for (const [field, value] of Object.entries({ size: '1', version: '1', type: 'tar.gz' })) data.set(field, value);
    data.set('file', new File([await readFile(archive)], name));
    const response = await fetch(`${service.url}/v1/artifact`, {
      method: 'POST',
      headers: { authorization: `Bearer ${service.token}` },
      body: data,
    });
    expect(response.status, name).toBe(400);
    expect(((await response.json()) as { detail: string }).detail).toMatch(says);
  }
  expect(await namesOf(service)).toEqual([]);
});
