// The frame of every page: its title, on the page and in the tab, a line of explanation and the actions.
import { createContext, use, useEffect, type ReactNode } from 'react';
import { stateText, type StateWords } from '#/ui/controls/state-words.ts';
import { setTitle } from './title.ts';
import classes from './page.module.css';

/** What the application adds to the actions of every page. */
export const PageExtra = createContext<ReactNode>(null);

interface PageProps {
  title: string;
  /** Replaces the title in the heading, for a name with a state beside it. */
  heading?: ReactNode;
  /** The state of the page's object, shown in the tab. */
  state?: StateWords | undefined;
  /** One line under the title. */
  lead?: ReactNode;
  /** A link above the title, back to the list. */
  back?: ReactNode;
  actions?: ReactNode;
  /** Fills the window, without padding and page scroll, for the map. */
  full?: boolean;
  /** Fills the window on a wide screen, so that a long table scrolls below the title; on a phone the page scrolls. */
  fill?: boolean;
  children: ReactNode;
}

export function Page({ title, heading, state, lead, back, actions, full = false, fill = false, children }: PageProps) {
  const extra = use(PageExtra);
  const words = state && stateText(state);
  useEffect(() => {
    setTitle(title, words);
  }, [title, words]);
  return (
    <div className={classes[full ? 'full' : fill ? 'fill' : 'page']}>
      <header className={classes.head}>
        <div className={classes.titles}>
          {back && <div className={classes.back}>{back}</div>}
          <h1>{heading ?? title}</h1>
          {lead && <p className={classes.lead}>{lead}</p>}
        </div>
        {actions && (
          <div className={classes.actions} data-page-actions>
            {actions}
          </div>
        )}
        {/* A page that fills the window shows no header. */}
        {!full && extra && <div className={classes.extra}>{extra}</div>}
      </header>
      {children}
    </div>
  );
}

/** A part of a page with its own heading. */
export function Section({
  title,
  lead,
  actions,
  children,
}: Omit<PageProps, 'full' | 'fill' | 'back' | 'heading' | 'state'>) {
  return (
    <section className={classes.section} aria-label={title}>
      <header className={classes.sectionHead}>
        <div className={classes.titles}>
          <h2>{title}</h2>
          {lead && <p className={classes.lead}>{lead}</p>}
        </div>
        {actions && (
          <div className={classes.actions} data-page-actions>
            {actions}
          </div>
        )}
      </header>
      {children}
    </section>
  );
}
