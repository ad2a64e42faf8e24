// Notices when a part of the application fails to load: shows whether a newer build is the reason, and offers the
// reload when somebody waits for that part. It never reloads by itself: a page may contain what somebody is typing.
import { useEffect, useSyncExternalStore } from 'react';
import { IconRefresh } from '@tabler/icons-react';
import { forgetFailedSheet, checkBuild, onOwnBuild, ownBuild } from '#/api/own-build.ts';
import { isLostNow, onReach } from '#/api/reach.ts';
import { useIsPartMissing } from '#/ui/late/not-loaded.ts';
import { Notice } from './notice.tsx';

export function BuildWatch() {
  const build = useSyncExternalStore(onOwnBuild, ownBuild);
  // While nobody answers a reload would lose the page; the notice about that is there then.
  const isPartMissing = useIsPartMissing() && build === 'same';
  useEffect(() => {
    const failed = ({ payload }: VitePreloadErrorEvent) => {
      forgetFailedSheet(payload);
      void checkBuild();
    };
    window.addEventListener('vite:preloadError', failed);

    // Who was away may have been away for an upgrade.
    const leave = onReach(() => isLostNow() || void checkBuild());
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
