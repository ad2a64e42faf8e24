// The people of the account, and what the signed-in one may do.
import { useQuery } from '@tanstack/react-query';
import { accountQueries } from '#/api/account.ts';
import { offers } from '#/api/capabilities.ts';
import { mutation, query, requestMutation } from '#/api/query.ts';
import { roleFor, isPermitted } from '#/contract/permissions.ts';
import { peopleEndpoints, type Me } from '#/contract/people.ts';
import { permissionFor, type OperationRow } from '#/contract/resource.ts';

export const peopleQueries = {
  me: () => query(peopleEndpoints.me, {}),
  list: () => query(peopleEndpoints.list, {}),
};

const ofPerson = (id: string) => ({ params: { person_id: id } });

export const peopleMutations = {
  invite: () => mutation(peopleEndpoints.invite, {}),
  renewInvitation: (id: string) => requestMutation(peopleEndpoints.renewInvitation, ofPerson(id)),
  update: (id: string) => mutation(peopleEndpoints.update, ofPerson(id)),
  remove: (id: string) => requestMutation(peopleEndpoints.remove, ofPerson(id)),
};

/** Who is signed in; undefined until it is loaded, and where the service knows no people: everything is permitted there. */
export function useMe(): Me | undefined {
  const account = useQuery(accountQueries.get());
  const isOffered = account.data !== undefined && offers(account.data, 'people');
  return useQuery({ ...peopleQueries.me(), enabled: isOffered }).data;
}

/**
 * Why this person may not do this, as a sentence; undefined if they may. The service checks the same rows.
 * @param doing begins the sentence: "Deploying"
 */
export function whyNot(
  me: Pick<Me, 'Role' | 'Groups'> | undefined,
  operation: OperationRow,
  { doing = 'This', request = {} }: { doing?: string; request?: { body?: unknown } } = {},
): string | undefined {
  if (!me) return undefined;
  const permission = permissionFor(operation, request);
  if (permission !== 'self' && !isPermitted(me.Role, permission))
    return `${doing} needs the role ${roleFor(permission)}; yours is ${me.Role}.`;
  if (operation.unlimited && me.Groups.length > 0)
    return `${doing} concerns devices of all groups; your role is limited to ${me.Groups.join(', ')}.`;
  return undefined;
}

/** The same for the person who is signed in. */
export const useWhyNot = (operation: OperationRow, options?: Parameters<typeof whyNot>[2]): string | undefined =>
  whyNot(useMe(), operation, options);
