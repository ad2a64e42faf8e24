// The dialog of outcome rules as a page opens it: fetched when it is first wanted.
import { Suspense, lazy } from 'react';
import type { ComponentProps } from 'react';
import type { Job } from '#/contract/jobs.ts';
import { useRuleName } from '#/features/outcome-rules/use-rules.ts';
import { usePreload } from '#/ui/late/use-preload.ts';

const load = () => import('./rules-dialog.tsx');
const RulesDialog = lazy(async () => ({ default: (await load()).RulesDialog }));

export function OpenRules(props: ComponentProps<typeof RulesDialog>) {
  const here = usePreload(load, true);
  return here ? (
    <Suspense fallback={null}>
      <RulesDialog {...props} />
    </Suspense>
  ) : null;
}

interface OpenRulesOfJobProps {
  job: Job;
  /** The opened device of it. */
  child?: string | undefined;
  onClose: () => void;
}

export function OpenRulesOfJob({ job, child, onClose }: OpenRulesOfJobProps) {
  const name = useRuleName()(job);
  return name === undefined ? null : <OpenRules name={name} job={job} child={child} onClose={onClose} />;
}
