// A fleet that joins by itself: all devices ask with one enrolment key at the same moment, then report their facts, twice.
// Whoever uses the dashboard must not notice.
import { setTimeout as sleep } from 'node:timers/promises';
import { AGENT_HTTP_PATH } from '#/contract/agent-http.ts';
import type { NewDevice } from '#/contract/devices.ts';
import type { NewEnrolmentKey } from '#/contract/enrolment.ts';
import { post, withService, type MeasuredService } from './measured-service.ts';
import { openRequester } from './requester.ts';
import { milliseconds, percentile, perSecond, type Row, type Section } from './section.ts';
import { watched } from './watched.ts';

const FACTS = 40;
/** Of them, how many no other device has: addresses, serial numbers. */
const UNIQUE = 10;

const factsOf = (device: number) =>
  Array.from({ length: FACTS }, (_, fact) => {
    const value = fact < UNIQUE ? `${fact}-of-${device}` : `value-${(device + fact) % (1 << (fact % 8))}`;
    return [`bench.fact${fact}`, value] as const;
  });

export const joining: Section = async ({ agents, postgres }) => ({
  subject: `${agents.toLocaleString('en-US')} devices at the same moment, ${FACTS} facts each`,
  rows: await withService((service) => rowsOf(service, agents), { postgres }),
});

async function rowsOf(service: MeasuredService, count: number): Promise<Row[]> {
  const { EnrolKey } = await post<NewEnrolmentKey>(service, '/v1/enrolment', { Name: 'bench', DeviceGroup: 'bench' });
  const idle = await watched(service, () => sleep(10_000));
  const devices = openRequester(service.url);
  const each = <T>(ask: (device: number) => Promise<T>) =>
    watched(service, () => Promise.all(Array.from({ length: count }, (_, device) => ask(device))));

  const enrolled = await each(async (device) => {
    const body = {
      EnrolKey,
      MachineId: `machine-${device}`,
      DeviceName: `bench ${device}`,
      Facts: Object.fromEntries(factsOf(device)),
    };
    const answer = await devices.ask('POST', '/v1/enrol', { 'Content-Type': 'application/json' }, JSON.stringify(body));
    if (answer.status !== 200) throw new Error(`A device was answered ${answer.status} ${answer.text}`);
    return (JSON.parse(answer.text) as NewDevice).DeviceKey;
  });
  const report = () =>
    each(async (device) => {
      const answer = await devices.ask(
        'POST',
        `${AGENT_HTTP_PATH}/hello`,
        { Authorization: `Bearer ${enrolled.result[device]}` },
        factsOf(device)
          .map((fact) => `${fact.join('=')}\n`)
          .join(''),
      );
      if (!answer.text.startsWith('session ')) throw new Error(`A hello was answered ${answer.status} ${answer.text}`);
    });
  const first = await report();
  const again = await report();
  devices.close();

  const alone = { what: 'alone', figure: milliseconds(percentile(idle.waits, 0.99)) };
  return (
    [
      ['enrolled', enrolled],
      ['first reports', first],
      ['the same reports again', again],
    ] as const
  ).flatMap(([what, { elapsed, used, waits }]) => [
    { what, figure: perSecond(count, elapsed, 'devices') },
    { what: `${what}: processor time of the service`, figure: milliseconds(used) },
    {
      what: `${what}: a page of devices meanwhile, p99`,
      figure: milliseconds(percentile(waits, 0.99)),
      against: alone,
    },
  ]);
}
