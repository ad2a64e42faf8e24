// Outcome rules of an earlier version that the service cannot run: their jobs have the verdict No answer until a user
// rewrites them.
import { useQuery } from '@tanstack/react-query';
import { useOffered } from '#/api/capabilities.ts';
import { artifactQueries } from '#/api/artifacts.ts';
import { ruleQueries, rulesOf } from '#/api/rules.ts';
import type { RuleSet } from '#/contract/rules.ts';
import { ruleNameOf } from '#/contract/rule-name.ts';
import { visible } from '#/lib/glyphs.ts';
import { paths } from '#/paths.ts';
import { Link } from '#/ui/url/link.tsx';

const needsWork = ({ MustRewrite = [] }: RuleSet) => MustRewrite.length > 0;

function useRuleSets(): readonly RuleSet[] | undefined {
  const hasRules = useOffered('rules') === true;
  return useQuery({ ...ruleQueries.list(), enabled: hasRules }).data;
}

/** All such rules of the account, with links to where they are edited. */
export function RulesToRewrite({ className }: { className?: string | undefined }) {
  const sets = (useRuleSets() ?? []).filter(needsWork);
  const artifacts = useQuery({ ...artifactQueries.list(), enabled: sets.length > 0 }).data ?? [];
  return sets.map(({ ArtifactName }) => {
    const artifact = artifacts.find(({ Name, Version }) => ruleNameOf(Name, Version) === ArtifactName);
    return (
      <p key={ArtifactName} className={className}>
        <Link to={artifact ? paths.artifactRules(ArtifactName) : paths.jobs()}>
          Outcome rules of <bdi>{visible(ArtifactName)}</bdi> must be rewritten
        </Link>
      </p>
    );
  });
}

/** Such rules of one name, with the reason. */
export function RuleFaults({ name, className }: { name: string; className?: string | undefined }) {
  const faults = rulesOf(useRuleSets() ?? [], name)?.MustRewrite ?? [];
  if (faults.length === 0) return null;
  return (
    <div className={className} role="note">
      <div className="breakable">
        {faults.map(({ Find, Fault }) => (
          <p key={Find}>
            An outcome rule must be rewritten, <code>{visible(Find)}</code>: {Fault}.
          </p>
        ))}
        <p>Until then a job that exits with 0 has no answer, and does not count as a success.</p>
      </div>
    </div>
  );
}
