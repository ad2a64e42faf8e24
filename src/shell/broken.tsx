// What a person sees when a page breaks or cannot be loaded: what happened and the way on. Without the router: it may be
// what could not be loaded.
import { useEffect } from 'react';
import { isSignedOut } from '#/api/api-error.ts';
import { checkBuild, reloadOnce } from '#/api/own-build.ts';
import { paths } from '#/paths.ts';
import { isNotLoaded } from '#/ui/late/not-loaded.ts';
import classes from './broken.module.css';

/** Milliseconds between the questions whether the service is back. */
const PAUSE = 5_000;

export function Broken({ error }: { error: unknown }) {
  // Nothing was typed here yet: as soon as the files can be had, the page loads itself again, once.
  useEffect(() => {
    if (!isNotLoaded(error)) return;
    let timer: ReturnType<typeof setTimeout>;
    let left = false;
    const look = async () => {
      const build = await checkBuild();
      if (left) return;
      if (build === 'away') timer = setTimeout(() => void look(), PAUSE);
      else reloadOnce();
    };
    void look();
    return () => {
      left = true;
      clearTimeout(timer);
    };
  }, [error]);
  const message = isNotLoaded(error)
    ? 'Muster did not load completely'
    : error instanceof Error
      ? error.message
      : 'The page could not be shown';
  const detail = error instanceof Error && 'detail' in error && typeof error.detail === 'string' ? error.detail : '';
  return (
    <main className={classes.broken} role="alert">
      <h1>{message}</h1>
      <p>{detail || 'If a new version was just installed, reload the page.'}</p>
      <p>
        <button type="button" className="frame-button" onClick={() => location.reload()}>
          Reload
        </button>
        {isSignedOut(error) ? <a href={paths.signIn()}>Sign in</a> : <a href={paths.overview()}>Go to the overview</a>}
      </p>
    </main>
  );
}
