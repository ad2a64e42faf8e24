// The filters of the audit log, as the URL has them.
import type { AuditFilters } from '#/contract/audit.ts';
import { oneOf, plainText, urlSchema } from '#/ui/url/url-schema.ts';
import { KINDS, type Kind } from './audit-words.ts';

/** Hours back. */
export const PERIODS = [1, 24, 7 * 24, 30 * 24] as const;

export const auditUrl = urlSchema({
  actor: plainText,
  /** Without it: people. */
  by: oneOf(['anyone', 'devices']),
  kind: oneOf(Object.keys(KINDS) as Kind[]),
  object: plainText,
  outcome: oneOf(['refused']),
  within: oneOf(PERIODS),
});
export type AuditView = typeof auditUrl.defaults;

/** What "Clear" sets. */
export const NO_AUDIT_FILTER: AuditView = {
  actor: '',
  by: undefined,
  kind: undefined,
  object: '',
  outcome: undefined,
  within: undefined,
};

/** As the API takes them. `now` in whole minutes, so that the same view is the same request for a while. */
export function filtersOf({ actor, by, kind, object, outcome, within }: AuditView, now: Date): AuditFilters {
  const minute = Math.floor(now.getTime() / 60_000) * 60_000;
  return {
    ...(actor ? { actor } : by !== 'anyone' && { by: by ?? 'people' }),
    ...(kind && { action: kind }),
    ...(object.trim() && { about: object.trim() }),
    ...(outcome && { outcome }),
    ...(within && { from: new Date(minute - within * 3_600_000).toISOString() }),
  };
}
