// Colours of the marks, for the canvas and the legend. Group colours differ in lightness too, and each has a letter, so
// that colour is never the only cue.
import type { Scheme } from '#/features/base-map/map-colors.ts';

export interface MarkerColors {
  online: string;
  offline: string;
  other: string;
  halo: string;
  ink: string;
  chosen: string;
  /** One for each coloured group, then the grey of all the rest. */
  groups: string[];
}

export const COLORS: Record<Scheme, MarkerColors> = {
  light: {
    online: '#0b6b7c',
    offline: '#b3470b',
    other: '#566273',
    halo: '#ffffff',
    ink: '#1c2430',
    chosen: '#3b5bdb',
    groups: ['#1f5fbf', '#b3470b', '#1d7a45', '#8a3fa0', '#a3195b', '#6b5200', '#0b6b7c', '#4a4f9c', '#6b7785'],
  },
  dark: {
    online: '#4fd1e3',
    offline: '#ffa94d',
    other: '#a0adba',
    halo: '#151b22',
    ink: '#e3e8ee',
    chosen: '#91a7ff',
    groups: ['#74a9ff', '#ffa94d', '#69db7c', '#da9bee', '#ff8fb8', '#e0c34c', '#4fd1e3', '#b3b8ff', '#8c99a6'],
  },
};

export const letterOf = (group: number): string => 'ABCDEFGH'[group] ?? '';
