// Runs before the first paint and before the application is here.
(() => {
  // The scheme chosen earlier, or the system's, so that nothing flashes; and when that one changes, at once.
  const root = document.documentElement;
  const system = matchMedia('(prefers-color-scheme: dark)');
  const paint = () => {
    let scheme = null;
    try {
      scheme = localStorage.getItem('mantine-color-scheme-value');
    } catch {
      // Storage may be closed to us; then the system's choice counts.
    }
    root.dataset.mantineColorScheme = scheme === 'light' || scheme === 'dark' ? scheme : system.matches ? 'dark' : 'light';
  };
  paint();
  system.addEventListener('change', paint);
  // The bar of an installed window and of a phone's browser has the colour of the navigation, in the scheme that is shown.
  const bar = document.querySelector('meta[name="theme-color"]');
  const tint = () => (bar.content = root.dataset.mantineColorScheme === 'dark' ? '#1a212a' : '#f8f9fb');
  tint();
  new MutationObserver(tint).observe(root, { attributeFilter: ['data-mantine-color-scheme'] });
  const signIn = location.pathname === '/sign-in';
  if (signIn) root.dataset.page = 'sign-in';

  // What the page will ask for as soon as the application runs; the build wrote down which files those are. Only after the
  // first paint: telling the browser takes it a while on a slow machine, and a font that it knows of holds the paint back.
  const ownSession = !document.querySelector('meta[name="muster-api"]')?.content;
  const first = JSON.parse(document.currentScript?.dataset.first ?? '{}');
  const files = [...((!signIn && first['*']) || []), ...(first[location.pathname] ?? [])];
  const kindOf = (file) => (file.endsWith('.css') ? 'style' : file.endsWith('.woff2') ? 'font' : '');
  const linkTo = (rel, href, as) =>
    Object.assign(document.createElement('link'), { rel, href, as, crossOrigin: 'anonymous' });
  const ask = () =>
    document.head.append(
      ...(signIn || !ownSession ? [] : [linkTo('preload', '/auth/session', 'fetch')]),
      ...files.map((file) => linkTo(kindOf(file) ? 'preload' : 'modulepreload', `/${file}`, kindOf(file))),
    );
  // By then the application may run already, and ask for itself.
  let running = false;
  document.addEventListener('DOMContentLoaded', () => (running = true));
  requestAnimationFrame(() => setTimeout(() => running || ask()));
})();
