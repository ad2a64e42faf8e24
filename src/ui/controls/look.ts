// How this browser shows tables and times, for every account. Mantine stores the colours.
import { stored } from '#/lib/stored.ts';
import { useStore } from '#/ui/state/use-store.ts';

export interface Look {
  density: 'compact' | 'comfortable';
  /** In which zone times are written. */
  zone: 'local' | 'utc';
}

const USUAL: Look = { density: 'compact', zone: 'local' };

const look = stored('muster-look', USUAL, {
  read: (text): Look => {
    const words = text.split(' ');
    return {
      density: words.includes('comfortable') ? 'comfortable' : 'compact',
      zone: words.includes('utc') ? 'utc' : 'local',
    };
  },
  print: ({ density, zone }) => `${density} ${zone}`,
});

export const useLook = (): Look => useStore(look);

export const keepLook = (change: Partial<Look>): boolean => look.set({ ...look.get(), ...change });
