// React's JSX runtime with hidden characters made visible in all text that is drawn, by us or by a library. Names come
// from devices and other people: none may look like another one, least of all where its deletion is confirmed. The
// build puts this in place of 'react/jsx-runtime' (scripts/visible-text.ts). What a field holds stays as it is.
import type { ElementType, Key, ReactElement } from 'react';
import * as runtime from 'react/jsx-runtime';
import { visible } from '#/lib/glyphs.ts';

export { Fragment } from 'react/jsx-runtime';

type Props = Record<string, unknown>;
type Create = (type: ElementType, props: Props, key?: Key) => ReactElement;

/** Attributes that are read or spoken. */
const SHOWN = ['children', 'title', 'aria-label', 'aria-valuetext', 'alt'];

const shown = (value: unknown): unknown => {
  if (typeof value === 'string') return visible(value);
  if (!Array.isArray(value)) return value;
  return value.some((item) => shown(item) !== item) ? value.map(shown) : value;
};

/** The same props where nothing is hidden. */
export function shownProps(props: Props): Props {
  let changed: Props | undefined;
  for (const name of SHOWN) {
    const value = props[name];
    if (value === undefined) continue;
    const next = shown(value);
    if (next !== value) (changed ??= { ...props })[name] = next;
  }
  return changed ?? props;
}

const create =
  (make: Create): Create =>
  (type, props, key) =>
    make(type, shownProps(props), key);

export const jsx = create(runtime.jsx as Create);
export const jsxs = create(runtime.jsxs as Create);
