// Runs before the first paint: the scheme chosen earlier, or the system's, so that nothing flashes.
(() => {
  let scheme = null;
  try {
    scheme = localStorage.getItem('mantine-color-scheme-value');
  } catch {
    // Storage may be closed to us; then the system's choice counts.
  }
  const dark = matchMedia('(prefers-color-scheme: dark)').matches;
  const root = document.documentElement;
  root.dataset.mantineColorScheme = scheme === 'light' || scheme === 'dark' ? scheme : dark ? 'dark' : 'light';
  if (location.pathname === '/sign-in') root.dataset.page = 'sign-in';
})();
