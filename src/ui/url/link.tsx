// Links between pages. React Router's own also prefetch for a framework on the server that there is none of here, which
// is 2 kB of the first load.
import type { ComponentProps } from 'react';
import { useHref, useLinkClickHandler, useLocation, useResolvedPath, type To } from 'react-router';

interface LinkProps extends Omit<ComponentProps<'a'>, 'href'> {
  to: To;
  /** Takes the place of the present page in the history; without it only a link to the same address does. */
  replace?: boolean | undefined;
  /** For the page that it leads to. */
  state?: unknown;
  preventScrollReset?: boolean;
}

export function Link({ to, replace, state, preventScrollReset = false, onClick, children, ...anchor }: LinkProps) {
  const href = useHref(to);
  const go = useLinkClickHandler(to, {
    state,
    preventScrollReset,
    ...(replace && { replace }),
    ...(anchor.target && { target: anchor.target }),
  });
  return (
    <a
      {...anchor}
      href={href}
      onClick={(event) => {
        onClick?.(event);
        if (!event.defaultPrevented) go(event);
      }}
    >
      {children}
    </a>
  );
}

/** Marked as the current page at its address and, unless it is an `end`, at those below. */
export function NavLink({ end = false, ...link }: LinkProps & { end?: boolean }) {
  const { pathname } = useLocation();
  const own = useResolvedPath(link.to).pathname;
  const isCurrent = pathname === own || (!end && pathname.startsWith(`${own}/`));
  return <Link {...link} aria-current={isCurrent ? 'page' : undefined} />;
}
