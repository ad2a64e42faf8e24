// People beside the owner of the account: invited by the API, signed in by accepting the invitation.
import type { Page } from '@playwright/test';
import { openSession, type Service } from './fixtures.ts';

type Role = 'Viewer' | 'Deployer' | 'Operator' | 'Admin';

export interface Somebody {
  id: string;
  email: string;
  password: string;
}

/** Signs the page's browser in as a new person with this role, in these groups or in all if none is named. */
export async function signInAs(page: Page, service: Service, role: Role, ...groups: string[]): Promise<Somebody> {
  const email = `${[role, ...groups].join('-').toLowerCase()}@example.org`;
  const password = 'a pear tree in the rain';
  const { PersonId, InviteUrl } = await service.call<{ PersonId: string; InviteUrl: string }>('POST', '/v1/people', {
    Email: email,
    Name: `The ${role}`,
    Role: role,
    Groups: groups,
  });
  await openSession(page, service, '/auth/accept', { Code: InviteUrl.split('code=')[1], Password: password });
  return { id: PersonId, email, password };
}
