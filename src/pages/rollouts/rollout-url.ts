// What the page of a rollout shows of its devices, in the URL.
import { ROLLOUT_DEVICE_STATES } from '#/contract/rollouts.ts';
import { oneOf, optional, positive, urlSchema } from '#/ui/url/url-schema.ts';

export const rolloutUrl = urlSchema({
  state: oneOf(ROLLOUT_DEVICE_STATES),
  wave: positive,
  view: oneOf(['list', 'map'], 'list'),
  /** The group of failures that is open. */
  failures: optional,
});
