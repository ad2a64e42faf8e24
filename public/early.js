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

  // Nobody is signed in: the service has marked the page, or it is on a plain file host, where the token is in memory.
  const ownSession = !document.querySelector('meta[name="muster-api"]')?.content;
  const isBefore = ['/sign-in', '/accept', '/reset'].includes(location.pathname);
  if (isBefore || !ownSession) root.dataset.page = 'sign-in';
  const signIn = root.dataset.page === 'sign-in';
  const section = signIn ? '/sign-in' : location.pathname;

  // What the page will ask for as soon as the application runs; the build wrote down which files those are. Only after the
  // first paint: telling the browser takes it a while on a slow machine, and a font that it knows of holds the paint back.
  const first = JSON.parse(document.currentScript?.dataset.first ?? '{}');
  const files = [...((!signIn && first['*']) || []), ...(first[section] ?? [])];
  const kindOf = (file) => (file.endsWith('.css') ? 'style' : file.endsWith('.woff2') ? 'font' : '');
  const linkTo = (rel, href, as) =>
    Object.assign(document.createElement('link'), { rel, href, as, crossOrigin: 'anonymous' });
  // The first answers that the application will read: with the rows here, it draws them at once.
  const answers = !ownSession || isBefore ? [] : ['/auth/session'];
  if (!signIn && section === '/devices' && !location.search) answers.push('/v1/devices/1/25');
  const ask = () =>
    document.head.append(
      ...answers.map((path) => linkTo('preload', path, 'fetch')),
      ...files.map((file) => linkTo(kindOf(file) ? 'preload' : 'modulepreload', `/${file}`, kindOf(file))),
    );
  // By then the application may run already, and ask for itself.
  let running = false;
  document.addEventListener('DOMContentLoaded', () => (running = true));
  requestAnimationFrame(function draw() {
    // A slow machine draws a frame before it has read all of the page.
    if (!running && !document.querySelector('#boot > main')) return requestAnimationFrame(draw);
    for (const link of document.querySelectorAll(`#boot a[href="${CSS.escape(location.pathname)}"]`))
      link.setAttribute('aria-current', 'page');
    setTimeout(() => running || ask());
  });
})();
