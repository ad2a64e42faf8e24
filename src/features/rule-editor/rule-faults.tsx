// Outcome rules of an earlier version that the service cannot run, or reads differently: their jobs have the verdict No
// answer until a user rewrites or confirms them.
import { useQuery } from '@tanstack/react-query';
import { useOffered } from '#/api/capabilities.ts';
import { artifactQueries } from '#/api/artifacts.ts';
import { ruleQueries, rulesOf } from '#/api/rules.ts';
import type { RuleSet } from '#/contract/rules.ts';
import { ruleNameOf } from '#/contract/rule-name.ts';
import { visible } from '#/lib/glyphs.ts';
import { paths } from '#/paths.ts';
import { Link } from '#/ui/url/link.tsx';

/** What has to be done with the rules of a name. */
function workOf({ MustRewrite = [], Review = [] }: RuleSet): string | undefined {
  if (MustRewrite.length > 0) return 'must be rewritten';
  return Review.length > 0 ? 'need review' : undefined;
}

function useRuleSets(): readonly RuleSet[] | undefined {
  const hasRules = useOffered('rules') === true;
  return useQuery({ ...ruleQueries.list(), enabled: hasRules }).data;
}

/** All such rules of the account, with links to where they are edited. */
export function RulesToRewrite({ className }: { className?: string | undefined }) {
  const sets = (useRuleSets() ?? []).filter((set) => workOf(set) !== undefined);
  const artifacts = useQuery({ ...artifactQueries.list(), enabled: sets.length > 0 }).data ?? [];
  return sets.map((set) => {
    const { ArtifactName } = set;
    const artifact = artifacts.find(({ Name, Version }) => ruleNameOf(Name, Version) === ArtifactName);
    return (
      <p key={ArtifactName} className={className}>
        <Link to={artifact ? paths.artifactRules(ArtifactName) : paths.jobs()}>
          Outcome rules of <bdi>{visible(ArtifactName)}</bdi> {workOf(set)}
        </Link>
      </p>
    );
  });
}

type Reviewed = NonNullable<RuleSet['Review']>[number];

/** How a rule was read by an earlier version, and what is to be done. */
function ReviewReason({ Find, Before }: Reviewed) {
  return (
    <>
      An earlier version read the pattern <code>{visible(Find)}</code>{' '}
      {Before === '' ? (
        'not at all'
      ) : (
        <>
          as <code>{visible(Before)}</code>
        </>
      )}
      ; now it means what is written. An Admin must confirm it, or somebody must edit it.
    </>
  );
}

/** The rules of one name that wait for an Admin, in the editor. */
export function RuleReview({ review, className }: { review: readonly Reviewed[]; className?: string | undefined }) {
  return (
    <div className={className} role="note" aria-label="Needs review">
      {review.map((each) => (
        <p key={each.Find} className="breakable">
          <ReviewReason {...each} />
        </p>
      ))}
    </div>
  );
}

/** Such rules of one name, with the reason. */
export function RuleFaults({ name, className }: { name: string; className?: string | undefined }) {
  const { MustRewrite: faults = [], Review = [] } = rulesOf(useRuleSets() ?? [], name) ?? {};
  if (faults.length + Review.length === 0) return null;
  return (
    <div className={className} role="note">
      <div className="breakable">
        {faults.map(({ Find, Fault }) => (
          <p key={Find}>
            An outcome rule must be rewritten, <code>{visible(Find)}</code>: {Fault}.
          </p>
        ))}
        {Review.map((each) => (
          <p key={each.Find}>
            An outcome rule needs review. <ReviewReason {...each} />
          </p>
        ))}
        <p>Until then a job that exits with 0 has no answer, and does not count as a success.</p>
      </div>
    </div>
  );
}
