// React's JSX runtime, with hidden characters made visible in all rendered text, ours or a library's. Names come from devices
// and other people: none may pass for another, least of all when its deletion is confirmed. The build replaces
// 'react/jsx-runtime' by this (scripts/visible-text.ts). The values of fields stay as they are.
import type { ElementType, Key, ReactElement } from 'react';
import * as runtime from 'react/jsx-runtime';
import { visible } from '#/lib/glyphs.ts';

export { Fragment } from 'react/jsx-runtime';

type Props = Record<string, unknown>;
type Create = (type: ElementType, props: Props, key?: Key) => ReactElement;

/** Props that are shown or spoken. */
const SHOWN = ['children', 'title', 'aria-label', 'aria-valuetext', 'alt'];

const shown = (value: unknown): unknown => {
  if (typeof value === 'string') return visible(value);
  if (!Array.isArray(value)) return value;
  return value.some((item) => shown(item) !== item) ? value.map(shown) : value;
};

/** Returns the same props if they have no hidden characters. */
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
