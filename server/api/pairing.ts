// Pairing, an addition: a device without a keyboard shows a code, and a person who sees it types it in the dashboard.
import type { enrolmentEndpoints } from '#/contract/enrolment.ts';
import { printIsoTime } from '#/contract/timestamps.ts';
import { countAttempt, openSigninLimit } from '../auth/signin-limit.ts';
import type { Context } from '../context.ts';
import { clientAddress } from '../http/client-address.ts';
import type { Handlers } from '../http/implement.ts';
import { Problem } from '../http/problem.ts';
import { requireGroup, requireRole } from '../http/require-permission.ts';
import { deviceById, setKey } from '../store/devices.ts';
import { deviceOfMachine, machineOf, noteMachine } from '../store/enrolment.ts';
import { hashSecret, newSecret } from '../store/ids.ts';
import {
  beginPairing,
  claimPairing,
  notePairingKey,
  pairingByCode,
  pairingOf,
  unusedPairingKey,
} from '../store/pairing.ts';
import { scopeOf } from '../store/scope.ts';

type PairingHandlers = Pick<Handlers<typeof enrolmentEndpoints>, 'beginPairing' | 'askPairing' | 'claimPairing'>;

/** Codes that devices of one address may begin, and wrong ones that an account may type, in a minute. */
const BEGINNINGS = 60;
const WRONG_CODES = 10;
const RETRY_SECONDS = '5';

export function pairingRoutes({ db, audit, actions, now, config, clock }: Context): PairingHandlers {
  const beginnings = openSigninLimit(BEGINNINGS, clock.steady);
  const claims = openSigninLimit(WRONG_CODES, clock.steady);

  return {
    beginPairing: async ({ body, http }) => {
      countAttempt(
        beginnings,
        clientAddress(config, http.env.incoming),
        'Too many devices begin to pair from this address',
      );
      const { MachineId, DeviceName, Secret } = body;
      const begun = { machine: machineOf(MachineId), secret: Secret, name: DeviceName };
      const { id, code, expires } = await db.write((tx) => beginPairing(tx, begun, now()));
      return { PairingId: id, Code: code, ExpiresTime: printIsoTime(new Date(expires)) };
    },

    askPairing: async ({ params, http }) => {
      const secret = http.req.header('Muster-Secret') ?? '';
      const answer = await db.write(async (tx) => {
        const pairing = await pairingOf(tx, params.pairing_id, secret);
        if (!pairing || (pairing.device_seq === null && pairing.expires <= now()))
          throw new Problem(404, 'This pairing has expired', 'Begin again (POST /v1/pair/begin) for another code.');
        if (pairing.device_seq === null) return { ExpiresTime: printIsoTime(new Date(pairing.expires)) };
        const device = await tx.get<{ id: string }>('SELECT id FROM devices WHERE seq = ?', pairing.device_seq);
        let key = await unusedPairingKey(tx, pairing, secret);
        if (key === undefined && pairing.answer !== null)
          throw new Problem(404, 'This pairing is over', 'The device has used its key. If it is lost, begin again.');
        if (key === undefined) {
          key = newSecret('mdk');
          await setKey(tx, pairing.device_seq, hashSecret(key), now());
          await notePairingKey(tx, pairing.id, secret, key);
        }
        return { DeviceId: device?.id ?? '', DeviceKey: key };
      });
      return 'DeviceKey' in answer
        ? answer
        : http.json(answer, 202, { 'Cache-Control': 'no-store', 'Retry-After': RETRY_SECONDS });
    },

    claimPairing: async (request) => {
      const { account, params, body } = request;
      requireGroup(request, body.DeviceGroup);
      const counted = countAttempt(claims, `account ${account.id}`, 'Too many wrong pairing codes');
      const DeviceId = await db.write(async (tx) => {
        const pairing = await pairingByCode(tx, params.pairing_code, now());
        if (!pairing)
          throw new Problem(
            404,
            'No device shows this code now',
            'Compare it with the one on the device, which shows another one every ten minutes.',
          );
        const known = await deviceOfMachine(tx, account.id, pairing.machine);
        if (known) {
          // It takes the device away from whoever has its key now.
          requireRole(request, 'admin');
          const own = await deviceById(tx, scopeOf(request), known.id);
          await actions.update(tx, request, own, body);
        }
        const device = known ?? (await actions.create(tx, request, body, hashSecret(newSecret('mdk'))));
        await noteMachine(tx, account.id, pairing.machine, device.seq);
        await claimPairing(tx, pairing.id, device.seq);
        await audit.record(tx, request, 'enrolment.pair', device.id);
        return device.id;
      });
      counted.right();
      return { DeviceId };
    },
  };
}
