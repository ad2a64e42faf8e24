// Text that this browser keeps for whoever is signed in. A browser may refuse to keep anything: then it holds until the
// page is left, and whoever keeps what matters can say so.

/** What the browser refused to keep. */
const held = new Map<string, string>();
const listeners = new Set<() => void>();
const tell = () => {
  for (const listener of listeners) listener();
};

export function readKept(key: string): string | null {
  if (held.has(key)) return held.get(key) ?? null;
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** `null`: nothing more is kept. */
export function keepText(key: string, text: string | null): void {
  try {
    if (text === null) localStorage.removeItem(key);
    else localStorage.setItem(key, text);
    held.delete(key);
  } catch {
    held.set(key, text ?? '');
  }
  tell();
}

/** Whether what was last kept under this key is lost with the page. */
export const isOnlyHeld = (key: string): boolean => held.has(key);

/** Calls back when something is kept, in another tab too. */
export function onKept(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}
