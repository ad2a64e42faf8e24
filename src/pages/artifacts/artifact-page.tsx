// One artifact: its versions and the devices that run each, who deployed what and when, and its outcome rules.
import { useMemo } from 'react';
import { Navigate, useLocation, useParams } from 'react-router';
import { useQuery } from '@tanstack/react-query';
import { Button } from '@mantine/core';
import { artifactQueries } from '#/api/artifacts.ts';
import { useOffered } from '#/api/capabilities.ts';
import { useMay } from '#/api/people.ts';
import type { Artifact } from '#/contract/artifacts.ts';
import { jobEndpoints } from '#/contract/jobs.ts';
import { ruleNameOf } from '#/contract/rule-name.ts';
import { RuleFaults } from '#/features/rule-editor/rule-faults.tsx';
import { RuleList } from '#/features/rule-editor/rule-list.tsx';
import { counted, devicesText } from '#/lib/format.ts';
import { paths } from '#/paths.ts';
import { Gate } from '#/ui/controls/gate.tsx';
import { useDialog } from '#/ui/dialog/use-dialog.ts';
import { lazyDialog } from '#/ui/late/lazy-dialog.tsx';
import { Page, Section } from '#/ui/page/page.tsx';
import { Empty, NoDataYet, View } from '#/ui/page/view.tsx';
import { Link } from '#/ui/url/link.tsx';
import { ArtifactDeployments, useDeployments } from './artifact-deployments.tsx';
import { ArtifactVersionTable } from './artifact-version-table.tsx';
import { DeleteArtifact } from './delete-artifact.tsx';
import { versionRows } from './page-rows.ts';
import { NOWHERE, useRunsOn, type RunsOn } from './versions/runs-on.ts';
import { usageOf } from './versions/artifact-usage.ts';
import classes from './artifact-page.module.css';

const RulesDialog = lazyDialog(() => import('#/features/rule-editor/rules-dialog.tsx'), 'RulesDialog');

const BACK = <Link to={paths.artifacts()}>Artifacts</Link>;

export function ArtifactPage() {
  const { name = '' } = useParams();
  const { search } = useLocation();
  const artifacts = useQuery(artifactQueries.list());
  const { isKnown, runs, reading } = useRunsOn();
  const all = artifacts.data;
  const own = useMemo(() => all?.filter(({ Name, Version }) => ruleNameOf(Name, Version) === name) ?? [], [all, name]);
  if (!all || (own.length === 0 && isKnown && !runs && !reading.error))
    return (
      <Page title="Artifact" back={BACK}>
        <NoDataYet query={artifacts.error ? artifacts : all ? reading : artifacts} name="the artifact" />
      </Page>
    );
  const shared = { artifacts, all, isKnown, counts: reading };
  const found = runs?.get(name);
  if (own.length > 0 || found) return <OneArtifact key={name} {...shared} name={name} own={own} runs={found} />;
  // Links from jobs and the audit log know only the id.
  const version = all.find(({ ArtifactId }) => ArtifactId === name);
  const shown = version && ruleNameOf(version.Name, version.Version);
  if (shown) return <Navigate replace to={`${paths.artifact(shown, name)}${search.replace('?', '&')}`} />;
  if (version) return <OneArtifact key={name} {...shared} name="" own={[version]} runs={undefined} />;
  return (
    <Page title="Artifact" back={BACK}>
      <Empty title="There is no such artifact" next={{ label: 'See all artifacts', to: paths.artifacts() }}>
        It may have been deleted since the link was created.
      </Empty>
    </Page>
  );
}

interface OneArtifactProps {
  /** What its versions share; '' if the only one has no name. */
  name: string;
  /** Its stored versions. */
  own: readonly Artifact[];
  /** For those of the same content. */
  all: readonly Artifact[];
  artifacts: Parameters<typeof View<Artifact[]>>[0]['query'];
  /** Whether the service records which version runs where. */
  isKnown: boolean;
  counts: Pick<Parameters<typeof NoDataYet>[0]['query'], 'error' | 'isFetching' | 'refetch'>;
  runs: RunsOn | undefined;
}

function OneArtifact({ name, own, all, artifacts, isKnown, counts, runs = NOWHERE }: OneArtifactProps) {
  const dialog = useDialog<'delete' | 'rules'>('artifact');
  const rows = useMemo(() => versionRows(own, runs), [own, runs]);
  const deployments = useDeployments(own);
  const usage = useMemo(() => usageOf(deployments.data), [deployments.data]);
  const hasRules = useOffered('rules') === true && name !== '';
  const noDeploy = useMay(jobEndpoints.submit, 'Deploying');
  const newest = rows.find(({ artifact }) => artifact)?.artifact;
  const deleted = own.find(({ ArtifactId }) => ArtifactId === dialog.subject);
  const title = name || 'Without a name';
  const lead = [
    own.length > 0 ? counted(own.length, 'version') : 'No version is stored any more',
    runs.total > 0 && `runs on ${devicesText(runs.total)}`,
  ];
  return (
    <Page
      title={title}
      heading={<bdi>{title}</bdi>}
      back={BACK}
      lead={lead.filter(Boolean).join(' · ')}
      actions={
        <>
          {runs.total > 0 && (
            <Button variant="default" component={Link} to={paths.map({}, name)}>
              Show on the map
            </Button>
          )}
          {newest && (
            <Gate why={noDeploy}>
              <Button variant="filled" component={Link} to={paths.deploy({ artifact: newest.ArtifactId })}>
                Deploy {newest.Version}
              </Button>
            </Gate>
          )}
        </>
      }
    >
      {hasRules && <RuleFaults name={name} className={classes.fault} />}
      <View query={artifacts} name="the artifact" empty={null}>
        {() => (
          <Section title="Versions">
            <ArtifactVersionTable
              name={name}
              rows={rows}
              all={all}
              runs={isKnown ? runs : undefined}
              counts={isKnown ? counts : undefined}
              usage={usage}
              onDelete={(id) => dialog.open('delete', id)}
            />
          </Section>
        )}
      </View>
      <ArtifactDeployments
        reading={deployments}
        own={own}
        isReported={deployments.data === undefined || usage !== undefined}
      />
      {hasRules && (
        <Section
          title="Outcome rules"
          lead="They decide from a job’s output whether it succeeded, for every version."
          actions={
            <Button variant="default" component={Link} {...dialog.link('rules')}>
              Edit rules
            </Button>
          }
        >
          <RuleList name={name} />
        </Section>
      )}
      <RulesDialog open={hasRules && dialog.name === 'rules' && { name, onClose: dialog.close }} />
      {dialog.name === 'delete' && deleted && <DeleteArtifact artifact={deleted} onClose={dialog.close} />}
    </Page>
  );
}
