// Shows a notice when a part of the dashboard failed to load, or when there is a newer build, and offers to reload. It never
// reloads by itself, since somebody may be typing.
import { useEffect, useSyncExternalStore } from 'react';
import { IconRefresh } from '@tabler/icons-react';
import { forgetFailedSheet, checkBuild, onOwnBuild, ownBuild } from '#/api/own-build.ts';
import { isUnreachable, onReach } from '#/api/reach.ts';
import { useIsPartMissing } from '#/ui/late/not-loaded.ts';
import { Notice } from './notice.tsx';

export function BuildWatch() {
  const build = useSyncExternalStore(onOwnBuild, ownBuild);
  // While the service is away, a reload would lose the page; another notice says so.
  const isPartMissing = useIsPartMissing() && build === 'same';
  useEffect(() => {
    const failed = ({ payload }: VitePreloadErrorEvent) => {
      forgetFailedSheet(payload);
      void checkBuild();
    };
    window.addEventListener('vite:preloadError', failed);

    // The service may have been away for an upgrade.
    const leave = onReach(() => isUnreachable() || void checkBuild({ isAfterAnswer: true }));
    return () => {
      window.removeEventListener('vite:preloadError', failed);
      leave();
    };
  }, []);
  const isNewer = build === 'newer';
  if (!isNewer && !isPartMissing) return null;
  return (
    <Notice
      icon={IconRefresh}
      isAboutBuild
      action={{ label: isNewer ? 'Load it' : 'Reload', onClick: () => location.reload() }}
    >
      <strong>{isNewer ? 'A new version is available.' : 'Part of this page could not be loaded.'}</strong> Save what
      you have typed, then {isNewer ? 'load' : 'reload'} it.
    </Notice>
  );
}
