// Enrolment keys, and the devices that wait for approval.
import { enrolmentEndpoints } from '#/contract/enrolment.ts';
import { mutation, query, requestMutation } from '#/api/query.ts';
import type { RequestKeys } from '#/api/request-keys.ts';

export const enrolmentQueries = {
  keys: () => query(enrolmentEndpoints.list, {}),
  pending: () => query(enrolmentEndpoints.pending, {}),
};

export const enrolmentMutations = {
  create: (keys: RequestKeys) => mutation(enrolmentEndpoints.create, {}, { keys }),
  remove: (id: string) => requestMutation(enrolmentEndpoints.remove, { params: { enrolment_id: id } }),
  approve: (id: string) => mutation(enrolmentEndpoints.approve, { params: { pending_id: id } }),
  reject: (id: string) => requestMutation(enrolmentEndpoints.reject, { params: { pending_id: id } }),
};
