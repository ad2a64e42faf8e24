// Shown when the dashboard breaks or cannot be loaded. It does without the router, which may be what failed to load.
import { useEffect } from 'react';
import { isSignedOut } from '#/api/api-error.ts';
import { checkBuild, reloadOnce } from '#/api/own-build.ts';
import { paths } from '#/paths.ts';
import { isNotLoaded } from '#/ui/late/not-loaded.ts';
import classes from './broken.module.css';

/** Milliseconds between checks whether the service is back. */
const PAUSE = 5_000;

export function Broken({ error }: { error: unknown }) {
  // Nothing has been typed here, so the page reloads itself once, as soon as its files are available.
  useEffect(() => {
    if (!isNotLoaded(error)) return;
    let timer: ReturnType<typeof setTimeout>;
    let left = false;
    const check = async () => {
      const build = await checkBuild();
      if (left) return;
      if (build === 'away') timer = setTimeout(() => void check(), PAUSE);
      else reloadOnce();
    };
    void check();
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
