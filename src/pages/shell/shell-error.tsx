// What a person sees when a page breaks or cannot be loaded: what happened and the way on.
import { useRouteError } from 'react-router';
import { isSignedOut } from '#/api/api-error.ts';
import { isNotLoaded } from '#/api/not-loaded.ts';
import { paths } from '#/paths.ts';
import classes from './shell.module.css';

export function ShellError() {
  const error = useRouteError();
  const message = isNotLoaded(error)
    ? 'Muster could not be loaded whole'
    : error instanceof Error
      ? error.message
      : 'The page could not be shown';
  const detail = error instanceof Error && 'detail' in error && typeof error.detail === 'string' ? error.detail : '';
  return (
    <main className={classes['broken']} role="alert">
      <h1>{message}</h1>
      <p>{detail || 'If a new version was just installed, loading the page again is enough.'}</p>
      <p>
        <button type="button" onClick={() => location.reload()}>
          Load again
        </button>
        {isSignedOut(error) ? <a href={paths.signIn()}>Sign in</a> : <a href={paths.overview()}>Go to the overview</a>}
      </p>
    </main>
  );
}
