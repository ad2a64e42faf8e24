// The target that the URL of a deploy names, and that of the artifacts where one is uploaded for it: there and back, the
// target stays chosen.
import type { DeployStart } from '#/paths.ts';
import { optional, urlSchema } from '#/ui/url/url-schema.ts';
import { useUrlState } from '#/ui/url/use-url-state.ts';

const KINDS = ['device', 'group', 'tag', 'selection'] as const;
const SCHEMA = urlSchema<Record<string, string | undefined>>(Object.fromEntries(KINDS.map((kind) => [kind, optional])));

export function useDeployTarget(): DeployStart {
  const [values] = useUrlState(SCHEMA);
  return Object.fromEntries(KINDS.flatMap((kind) => (values[kind] ? [[kind, values[kind]]] : [])));
}
