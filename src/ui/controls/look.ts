// How this browser shows tables and times, whoever is signed in. The colours are Mantine's to keep.
import { useSyncExternalStore } from 'react';
import { keepText, onKept, readKept } from '#/ui/form/kept-text.ts';

const KEY = 'muster-look';

export interface Look {
  density: 'compact' | 'comfortable';
  /** In which zone times are written. */
  zone: 'local' | 'utc';
}

const readLook = (text: string): Look => {
  const words = text.split(' ');
  return {
    density: words.includes('comfortable') ? 'comfortable' : 'compact',
    zone: words.includes('utc') ? 'utc' : 'local',
  };
};

// The same text is the same object, so that no time is drawn again for nothing.
let last = { text: '', look: readLook('') };
function current(): Look {
  const text = readKept(KEY) ?? '';
  if (text !== last.text) last = { text, look: readLook(text) };
  return last.look;
}

export const useLook = (): Look => useSyncExternalStore(onKept, current);

export function keepLook(change: Partial<Look>): void {
  const { density, zone } = { ...current(), ...change };
  keepText(KEY, `${density} ${zone}`);
}
