// Enrolment keys, and the devices that wait for approval.
import { mutationOptions } from '@tanstack/react-query';
import { call } from '#/api/call.ts';
import { enrolmentEndpoints, type PendingDevice } from '#/contract/enrolment.ts';
import { mutation, query, requestMutation } from '#/api/query.ts';
import type { RequestKeys } from '#/api/request-keys.ts';

export const enrolmentQueries = {
  keys: () => query(enrolmentEndpoints.list, {}),
  pending: () => query(enrolmentEndpoints.pending, {}),
};

/** Those that nobody has decided about. */
export const waitingDevices = (pending: readonly PendingDevice[]): PendingDevice[] =>
  pending.filter(({ State }) => State === 'Waiting');

export const enrolmentMutations = {
  create: (keys: RequestKeys) => mutation(enrolmentEndpoints.create, {}, { keys }),
  remove: (id: string) => requestMutation(enrolmentEndpoints.remove, { params: { enrolment_id: id } }),
  approve: (id: string) => mutation(enrolmentEndpoints.approve, { params: { pending_id: id } }),
  /** Makes the device that shows a code one of the account. */
  pair: () =>
    mutationOptions({
      mutationFn: ({ Code, ...body }: { Code: string; DeviceName: string; DeviceGroup: string }) =>
        call(enrolmentEndpoints.claimPairing, { params: { pairing_code: Code }, body }),
      meta: { operation: enrolmentEndpoints.claimPairing },
    }),
  reject: (id: string) => requestMutation(enrolmentEndpoints.reject, { params: { pending_id: id } }),
};
