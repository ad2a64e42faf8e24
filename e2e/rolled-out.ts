// What the tests of rollouts share: a fleet whose command can fail, and rollouts with gates that need no waiting.
import type { Page } from '@playwright/test';
import type { Service } from './fixtures.ts';

export const heading = (page: Page) => page.getByRole('heading', { level: 1 });
export const lane = (page: Page, number: number) =>
  page
    .getByRole('list', { name: 'Waves' })
    .getByRole('listitem')
    .filter({ hasText: `Wave ${number}` });
export const devices = (page: Page) => page.getByRole('table', { name: 'Devices of the rollout' });

interface Fleet {
  units: { DeviceId: string; DeviceKey: string }[];
  ArtifactId: string;
  /** The command of the artifact fails while this file is there. */
  broken: string;
}

export async function fleet(service: Service, count: number, agents = count): Promise<Fleet> {
  const folder = await service.folder('opt');
  const broken = `${folder}/broken`;
  const ArtifactId = await service.uploadScript(
    'myapp.sh',
    `#!/bin/sh\n[ -e '${broken}' ] && { echo 'no room'; exit 28; }\necho installed\n`,
    folder,
    '2.0.0',
  );
  const units = await Promise.all(
    Array.from({ length: count }, (_, at) => service.createDevice(`unit ${at + 1}`, 'hall')),
  );
  for (const { DeviceKey } of units.slice(0, agents)) await service.agent(DeviceKey);
  return { units, ArtifactId, broken };
}

/** By the API, with gates that a test does not have to wait for. */
export async function rollOut(service: Service, { ArtifactId }: Fleet, more: object = {}): Promise<string> {
  const { RolloutId } = await service.call<{ RolloutId: string }>('POST', '/v1/rollout', {
    Name: 'myapp 2.0.0',
    DeviceGroup: 'hall',
    ArtifactId,
    Waves: [{ Count: 1 }, { Percent: 100 }],
    Gate: { SuccessPercent: 100, OnlineMinutes: 0, TimeoutMinutes: 60 },
    PauseAfter: { FailedCount: 0 },
    Advance: 'auto',
    ...more,
  });
  return RolloutId;
}
