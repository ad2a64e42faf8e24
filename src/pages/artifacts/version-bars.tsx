// How many devices have each version of an artifact: bars that link to these devices.
import { useQuery } from '@tanstack/react-query';
import { useOffered } from '#/api/capabilities.ts';
import { deviceVersionQueries } from '#/api/device-versions.ts';
import { paths } from '#/paths.ts';
import { formatCount } from '#/lib/format.ts';
import { View } from '#/ui/page/view.tsx';
import { Link } from '#/ui/url/link.tsx';
import classes from './version-bars.module.css';

const devices = (count: number) => `${formatCount(count)} ${count === 1 ? 'device' : 'devices'}`;

/** `artifact`: the name of all its versions. Not shown if the service does not record versions. */
export function VersionBars({ artifact }: { artifact: string }) {
  const isKnown = useOffered('versions') === true;
  const counts = useQuery({ ...deviceVersionQueries.counts(), enabled: isKnown });
  if (!isKnown) return null;
  return (
    <section className={classes.versions} aria-labelledby="artifact-versions">
      <h3 id="artifact-versions">Versions on devices</h3>
      <View
        query={counts}
        name="which version runs where"
        rows={2}
        isEmpty={(all) => all.every(({ ArtifactName }) => ArtifactName !== artifact)}
        empty={<p className="dim">No successful deployments of {artifact} yet.</p>}
      >
        {(all) => {
          const own = all.filter(({ ArtifactName }) => ArtifactName === artifact);
          const most = Math.max(...own.map(({ Devices }) => Devices));
          return (
            <ul className={classes.bars} aria-label={`Devices by version of ${artifact}`}>
              {own.toReversed().map(({ Version, Devices }) => (
                <li key={Version}>
                  <Link to={paths.devices({ artifact, version: Version })}>
                    <bdi className="truncate">{Version}</bdi>
                    <span className={classes.bar} aria-hidden>
                      <span style={{ inlineSize: `${(100 * Devices) / most}%` }} />
                    </span>
                    <span className="tabular">{devices(Devices)}</span>
                  </Link>
                </li>
              ))}
            </ul>
          );
        }}
      </View>
    </section>
  );
}
