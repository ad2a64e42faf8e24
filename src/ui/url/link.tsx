// Links between pages, without the prefetching for server frameworks in React Router's own.
import type { ComponentProps } from 'react';
import { useHref, useLinkClickHandler, useLocation, useResolvedPath, type To } from 'react-router';

interface LinkProps extends Omit<ComponentProps<'a'>, 'href'> {
  to: To;
  /** Replaces the history entry; by default only a link to the current address does. */
  replace?: boolean | undefined;
  /** Router state for the target page. */
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

/** A link with aria-current at its address and, without `end`, at those below it. */
export function NavLink({ end = false, ...link }: LinkProps & { end?: boolean }) {
  const { pathname } = useLocation();
  const own = useResolvedPath(link.to).pathname;
  const isCurrent = pathname === own || (!end && pathname.startsWith(`${own}/`));
  return <Link {...link} aria-current={isCurrent ? 'page' : undefined} />;
}
