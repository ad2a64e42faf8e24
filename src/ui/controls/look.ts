// How this browser shows tables and times, for every account. Mantine stores the colour scheme.
import { stored } from '#/lib/stored.ts';
import { useStore } from '#/ui/state/use-store.ts';

export interface Look {
  density: 'compact' | 'comfortable';
  /** The time zone of all times. */
  zone: 'local' | 'utc';
}

const DEFAULT: Look = { density: 'compact', zone: 'local' };

const look = stored('muster-look', DEFAULT, {
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

export const setLook = (change: Partial<Look>): boolean => look.set({ ...look.get(), ...change });
