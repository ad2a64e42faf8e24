// Who did something, in words.
import type { AuditEntry } from '#/contract/audit.ts';

const WHO: Record<string, string> = {
  operator: 'Operator of the service',
  unknown: 'Unknown',
  'sign-in link': 'Sign-in link',
  'download link': 'Download link',
};
const PROGRAMS: Record<string, string> = { token: 'Token', session: 'Browser', device: 'Device' };

/** "Token Build server", "Browser, Sign-in link", "Device pump-7". */
export function actorText({ Actor, ActorName }: Pick<AuditEntry, 'Actor' | 'ActorName'>): string {
  const [kind = '', id = ''] = Actor.split(':');
  const program = PROGRAMS[kind];
  if (program === undefined || id === '') return WHO[Actor] ?? Actor;
  return kind === 'session' && ActorName !== '' ? `${program}, ${ActorName}` : `${program} ${ActorName || id}`;
}
