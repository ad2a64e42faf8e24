// The dialog that deletes old versions as the page opens it: fetched when it is first wanted.
import { Suspense, lazy } from 'react';
import type { ComponentProps } from 'react';
import { usePreload } from '#/ui/late/use-preload.ts';

const load = () => import('./delete-artifact-versions.tsx');
const DeleteArtifactVersions = lazy(async () => ({ default: (await load()).DeleteArtifactVersions }));

export function OpenDeleteVersions(props: ComponentProps<typeof DeleteArtifactVersions>) {
  const here = usePreload(load, true);
  return here ? (
    <Suspense fallback={null}>
      <DeleteArtifactVersions {...props} />
    </Suspense>
  ) : null;
}
