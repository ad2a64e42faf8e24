// The first stops of Tab: past the navigation to the content, and to those of its filters, table and actions that the page
// has. Each is visible only while it has the focus.
import { useState } from 'react';
import classes from './shell.module.css';

const FOCUSABLE = 'a[href], button:not([disabled]), input:not([disabled]), select:not([disabled])';

/** What to focus, by the words of its link. */
const PLACES: [label: string, find: () => HTMLElement | null | undefined][] = [
  ['Skip to the filters', () => first('main search')],
  // The link of the row opens it; its checkbox comes before.
  ['Skip to the table', () => document.querySelector<HTMLElement>('main tbody a[href]') ?? first('main tbody')],
  ['Skip to the actions', () => first('main [data-page-actions]')],
];

const first = (within: string) =>
  [...document.querySelectorAll<HTMLElement>(`:is(${within}) :is(${FOCUSABLE})`)].find((each) =>
    each.checkVisibility(),
  );

export function SkipLinks() {
  const [places, setPlaces] = useState<typeof PLACES>([]);
  // The page is looked at when Tab arrives: until then it may still be loading.
  const look = () => setPlaces(PLACES.filter(([, find]) => find()));
  return (
    <>
      <a href="#main" className={classes.skip} onFocus={look}>
        Skip to content
      </a>
      {places.map(([label, find]) => (
        <button key={label} type="button" className={classes.skip} onClick={() => find()?.focus()}>
          {label}
        </button>
      ))}
    </>
  );
}
