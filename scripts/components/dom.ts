// For the component tests: a document in Node, with what it lacks because it draws nothing. Every box is as large as the
// window, so that long lists have rows. It has to be there before React is imported.
import { Window } from 'happy-dom';

const WIDTH = 1280;
const HEIGHT = 800;

const dom = new Window({ url: 'http://localhost/', width: WIDTH, height: HEIGHT });

/** Gives the document another address without loading anything. */
export const setAddress = (url: string): void => dom.happyDOM.setURL(url);

class NoObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}
Object.assign(dom, { ResizeObserver: NoObserver, IntersectionObserver: NoObserver });
Object.defineProperty(dom.document, 'fonts', { value: Object.assign(new EventTarget(), { load: async () => [] }) });
Object.assign(dom.Element.prototype, {
  checkVisibility: () => true,
  getAnimations: () => [],
  getBoundingClientRect: () => new dom.DOMRect(0, 0, WIDTH, HEIGHT),
});
for (const [name, value] of Object.entries({
  clientHeight: HEIGHT,
  clientWidth: WIDTH,
  offsetHeight: HEIGHT,
  offsetWidth: WIDTH,
}))
  Object.defineProperty(dom.HTMLElement.prototype, name, { value });
dom.document.documentElement.lang = 'en';

// What Node has itself stays Node's, because the service runs here too.
const OF_THE_PAGE = ['navigator', 'localStorage', 'sessionStorage'];
const values = dom as unknown as Record<string, unknown>;
for (const name of Object.getOwnPropertyNames(dom)) {
  if (name.startsWith('_') || (name in globalThis && !OF_THE_PAGE.includes(name))) continue;
  const value = values[name];
  const isMethod = typeof value === 'function' && /^[a-z]/.test(name);
  const own: unknown = isMethod ? value.bind(dom) : undefined;
  Object.defineProperty(globalThis, name, { configurable: true, get: () => own ?? values[name] });
}
for (const name of ['addEventListener', 'removeEventListener', 'dispatchEvent', 'window'] as const)
  Object.defineProperty(globalThis, name, { configurable: true, value: name === 'window' ? dom : dom[name].bind(dom) });
