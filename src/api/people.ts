// The people of the account, and what the signed-in one may do.
import { useCallback } from 'react';
import { useQuery, type MutationMeta } from '@tanstack/react-query';
import { accountQueries } from '#/api/account.ts';
import { offers } from '#/api/capabilities.ts';
import { mutation, query, requestMutation } from '#/api/query.ts';
import type { RequestKeys } from '#/api/request-keys.ts';
import { roleFor, isPermitted } from '#/contract/permissions.ts';
import { peopleEndpoints, type Me } from '#/contract/people.ts';
import { permissionFor, type OperationRow } from '#/contract/resource.ts';

export const peopleQueries = {
  me: () => query(peopleEndpoints.me, {}),
  list: () => query(peopleEndpoints.list, {}),
};

const ofPerson = (id: string) => ({ params: { person_id: id } });

export const peopleMutations = {
  invite: (keys: RequestKeys) => mutation(peopleEndpoints.invite, {}, { keys }),
  renewInvitation: (id: string) => requestMutation(peopleEndpoints.renewInvitation, ofPerson(id)),
  update: (id: string) => mutation(peopleEndpoints.update, ofPerson(id)),
  disable: (id: string) => requestMutation(peopleEndpoints.update, { ...ofPerson(id), body: { Disabled: true } }),
  dropSecondFactor: (id: string) =>
    requestMutation(peopleEndpoints.update, { ...ofPerson(id), body: { SecondFactor: false } }),
  remove: (id: string) => requestMutation(peopleEndpoints.remove, ofPerson(id)),
};

/** Who is signed in; undefined until it is loaded, and where the service knows no people: everything is permitted there. */
export function useMe(): Me | undefined {
  const account = useQuery(accountQueries.get());
  const isOffered = account.data !== undefined && offers(account.data, 'people');
  return useQuery({ ...peopleQueries.me(), enabled: isOffered }).data;
}

/** The device groups that the signed-in person's role is limited to; undefined: all devices. */
export function useOwnGroups(): readonly string[] | undefined {
  const groups = useMe()?.Groups;
  return groups && groups.length > 0 ? groups : undefined;
}

interface Attempt {
  /** Begins the sentence: "Deploying". */
  doing?: string;
  /** Where the permission depends on the request. */
  request?: { body?: unknown };
}

/** Why this person may not do this, as a sentence; undefined if they may. The service checks the same rows. */
export function whyNot(
  me: Pick<Me, 'Role' | 'Groups'> | undefined,
  operation: OperationRow,
  { doing = 'This', request = {} }: Attempt = {},
): string | undefined {
  if (!me) return undefined;
  const permission = permissionFor(operation, request);
  if (!isPermitted(me.Role, permission)) return `${doing} needs the role ${roleFor(permission)}; yours is ${me.Role}.`;
  if (operation.unlimited && me.Groups.length > 0)
    return `${doing} concerns all device groups; your role covers ${groupsText(me.Groups)}.`;
  return undefined;
}

/** "the group plant-a", "the groups plant-a and plant-b" */
export function groupsText(groups: readonly string[]): string {
  const [last = '', ...others] = groups.toReversed();
  return others.length > 0 ? `the groups ${others.toReversed().join(', ')} and ${last}` : `the group ${last}`;
}

/**
 * Why the signed-in person may not do this, as a sentence; undefined if they may, and while that is not known: the service
 * refuses anyway.
 * @param operations all that it takes
 * @param doing begins the sentence: "Deploying"
 * @param body where the permission depends on it
 */
export function useMay(
  operations: OperationRow | readonly OperationRow[],
  doing: string,
  body?: unknown,
): string | undefined {
  const me = useMe();
  for (const operation of [operations].flat()) {
    const why = whyNot(me, operation, { doing, request: { body } });
    if (why !== undefined) return why;
  }
  return undefined;
}

/** The same for the write of a dialog, which names its operation itself. */
export function useWriteGate(): (write: { meta?: MutationMeta | undefined }) => string | undefined {
  const me = useMe();
  return useCallback(
    ({ meta }) => meta?.operation && whyNot(me, meta.operation, { request: meta.request ?? {} }),
    [me],
  );
}
