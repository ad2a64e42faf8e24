// Shown instead of a page that broke or failed to load; the frame around it stays.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useLocation, useNavigate, useRouteError } from 'react-router';
import { Button } from '@mantine/core';
import { directAddress } from '#/api/direct.ts';
import { checkBuild, ownBuild, reloadOnce, type OwnBuild } from '#/api/own-build.ts';
import { isUnreachable, onReach } from '#/api/reach.ts';
import { paths } from '#/paths.ts';
import { isNotLoaded } from '#/ui/late/not-loaded.ts';
import { Page } from '#/ui/page/page.tsx';
import { hasUnsaved } from '#/ui/dialog/unsaved.ts';
import { Link } from '#/ui/url/link.tsx';
import classes from './shell.module.css';

export function PageError() {
  const error = useRouteError();
  return error instanceof Error && isNotLoaded(error) ? <NotLoaded error={error} /> : <Broken error={error} />;
}

function Broken({ error }: { error: unknown }) {
  const detail = error instanceof Error && 'detail' in error && typeof error.detail === 'string' ? error.detail : '';
  return (
    <Page title="This page broke">
      <div role="alert" className={classes.pageError}>
        <p>{error instanceof Error ? error.message : 'It could not be shown.'}</p>
        {detail && <p>{detail}</p>}
        <div className="row">
          <Button onClick={() => location.reload()}>Reload</Button>
          <Link to={paths.overview()}>Go to the overview</Link>
        </div>
      </div>
    </Page>
  );
}

/** The files that were requested twice. Browsers that remember a failed file then need a new document. */
const retried = new Set<string>();

const WORDS: Record<OwnBuild, string> = {
  unknown: 'Checking why.',
  away:
    directAddress === undefined
      ? 'The service did not answer. This page loads when it does.'
      : `${location.host}, which hosts these pages, did not answer.`,
  same: 'The download failed.',
  newer: 'A new version was installed, and the files of this one are gone.',
};

function NotLoaded({ error }: { error: Error }) {
  const part = error.message;
  const at = useLocation();
  const state: unknown = at.state;
  const navigate = useNavigate();
  const isLost = useSyncExternalStore(onReach, isUnreachable);
  const [build, setBuild] = useState<OwnBuild>(ownBuild);
  const [busy, setBusy] = useState(false);

  const retryOnce = async () => {
    retried.add(part);
    await navigate(at, { replace: true, state });
  };
  const retry = async () => {
    setBusy(true);
    const next = await checkBuild();
    setBuild(next);
    if (next === 'newer' || (next === 'same' && retried.has(part))) return location.reload();
    if (next === 'same') await retryOnce();
    setBusy(false);
  };
  useEffect(() => {
    let left = false;
    void checkBuild().then((next) => {
      if (left) return;
      setBuild(next);
      if (next === 'away') retried.delete(part);
      // Retried once when the service answers, and then once more in a new document.
      else if (next === 'same' && !retried.has(part)) void retryOnce();
      else if (!hasUnsaved()) reloadOnce();
    });
    return () => {
      left = true;
    };
    // oxlint-disable-next-line react/exhaustive-deps -- checked after each failure, and when the service is back
  }, [isLost, error]);

  const reloads = build === 'newer' || (build === 'same' && retried.has(part));
  return (
    <Page title="This page could not be loaded">
      <div role="alert" className={classes.pageError} data-page-error>
        <p>
          {WORDS[build]}
          {reloads && directAddress !== undefined && ' Loading it asks for your token again.'}
        </p>
        <Button loading={busy} onClick={() => void retry()}>
          {build === 'newer' ? 'Load the new version' : reloads ? 'Reload' : 'Retry'}
        </Button>
      </div>
    </Page>
  );
}
