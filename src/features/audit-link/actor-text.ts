// Names of the actors in the audit log and on timelines.
import type { AuditEntry } from '#/contract/audit.ts';

const NAMES = new Map(
  Object.entries<string>({
    operator: 'Service operator',
    unknown: 'Unknown',
    'sign-in link': 'Sign-in link',
    'download link': 'Download link',
    schedule: 'Schedule',
  }),
);
const KINDS = new Map(
  Object.entries<string>({
    person: 'Person',
    token: 'Token',
    session: 'Browser',
    device: 'Device',
    rollout: 'Rollout',
  }),
);

/** "Ada Lovelace", "Token Build server", "Browser, Sign-in link", "Device pump-7", "Rollout myapp 2". */
export function actorText({ Actor, ActorName }: Pick<AuditEntry, 'Actor' | 'ActorName'>): string {
  const [kind = '', id = ''] = Actor.split(':');
  const label = KINDS.get(kind);
  if (label === undefined || id === '') return NAMES.get(Actor) ?? Actor;
  if (kind === 'person' && ActorName !== '') return ActorName;
  return kind === 'session' && ActorName !== '' ? `${label}, ${ActorName}` : `${label} ${ActorName || id}`;
}
