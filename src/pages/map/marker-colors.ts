// Colours of the marks, for the canvas and the legend. Colours of groups and versions differ in lightness too, and each has
// a letter, so that colour is never the only cue.
import type { Scheme } from '#/features/base-map/map-colors.ts';

/** What the colours of the marks mean. */
export const COLOR_BY = ['state', 'group', 'version'] as const;
export type ColorBy = (typeof COLOR_BY)[number];

/** A colour, and that of a letter on it. */
interface Tone {
  fill: string;
  letter: string;
}

export interface MarkerColors {
  online: string;
  offline: string;
  other: string;
  halo: string;
  ink: string;
  chosen: string;
  /** One for each coloured group. */
  groups: string[];
  /** One for each coloured version. */
  versions: Tone[];
  /** Of all groups or versions without a colour of their own. */
  rest: string;
  /** Of devices that run no version. */
  none: string;
}

export const COLORS: Record<Scheme, MarkerColors> = {
  light: {
    online: '#0b6b7c',
    offline: '#b3470b',
    other: '#566273',
    halo: '#ffffff',
    ink: '#1c2430',
    chosen: '#3b5bdb',
    groups: ['#1f5fbf', '#b3470b', '#1d7a45', '#8a3fa0', '#a3195b', '#6b5200', '#0b6b7c', '#4a4f9c'],
    versions: [
      { fill: '#0095ff', letter: '#1c2430' },
      { fill: '#810194', letter: '#ffffff' },
      { fill: '#e56d06', letter: '#1c2430' },
      { fill: '#7f0007', letter: '#ffffff' },
      { fill: '#b98660', letter: '#1c2430' },
    ],
    rest: '#6b7785',
    none: '#8f99a5',
  },
  dark: {
    online: '#4fd1e3',
    offline: '#ffa94d',
    other: '#a0adba',
    halo: '#151b22',
    ink: '#e3e8ee',
    chosen: '#91a7ff',
    groups: ['#74a9ff', '#ffa94d', '#69db7c', '#da9bee', '#ff8fb8', '#e0c34c', '#4fd1e3', '#b3b8ff'],
    versions: [
      { fill: '#5ea5f4', letter: '#151b22' },
      { fill: '#e1e57f', letter: '#151b22' },
      { fill: '#d36655', letter: '#151b22' },
      { fill: '#36fbc1', letter: '#151b22' },
      { fill: '#b88f00', letter: '#151b22' },
    ],
    rest: '#8c99a6',
    none: '#73808d',
  },
};

export const letterOf = (number: number): string => 'ABCDEFGH'[number] ?? '';
