// The version of each artifact that a device took last with success; nothing where the service does not know it.
import { Fragment } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useOffered } from '#/api/capabilities.ts';
import { deviceVersionQueries } from '#/api/device-versions.ts';
import { Timestamp } from '#/features/timestamp/timestamp.tsx';
import { paths } from '#/paths.ts';
import { Section } from '#/ui/page/page.tsx';
import { View } from '#/ui/page/view.tsx';
import { Link } from '#/ui/url/link.tsx';
import classes from './device-page.module.css';

export function DeviceVersions({ id }: { id: string }) {
  const isKnown = useOffered('versions') === true;
  const versions = useQuery({ ...deviceVersionQueries.ofDevice(id), enabled: isKnown });
  if (!isKnown) return null;
  return (
    <Section title="Versions">
      <View
        query={versions}
        name="its versions"
        rows={2}
        isEmpty={({ Items }) => Items.length === 0}
        empty={<p className="small dim">No artifact was deployed to it with success yet.</p>}
      >
        {({ Items }) => (
          <dl className={classes.facts}>
            {Items.map(({ ArtifactName, Version, Time, JobId }) => (
              <Fragment key={ArtifactName}>
                <dt>
                  <bdi>{ArtifactName}</bdi>
                </dt>
                <dd className={classes.version}>
                  <bdi>{Version}</bdi>
                  <span className="dim">
                    since <Timestamp text={Time} />
                  </span>
                  <Link to={paths.job(JobId)}>
                    Job<span className="visually-hidden"> that brought {ArtifactName}</span>
                  </Link>
                </dd>
              </Fragment>
            ))}
          </dl>
        )}
      </View>
    </Section>
  );
}
