// The colours of the base map, muted so that the devices on it stand out.

export type Scheme = 'light' | 'dark';

export interface MapColors {
  land: string;
  water: string;
  coast: string;
  river: string;
  countryBorder: string;
  provinceBorder: string;
  sea: string;
  country: string;
  province: string;
  city: string;
  town: string;
}

/** Light and dark share one set of drawing rules, so they always show the same. */
export const mapColors: Record<Scheme, MapColors> = {
  light: {
    land: '#f6f6f3',
    water: '#d3e2ea',
    coast: '#adc5d2',
    river: '#bdd4e0',
    countryBorder: '#a3acb6',
    provinceBorder: '#d3d5d6',
    sea: '#6d8ba0',
    country: '#4d5763',
    province: '#949ca6',
    city: '#333b45',
    town: '#545e6a',
  },
  dark: {
    land: '#222a33',
    water: '#12181f',
    coast: '#37444f',
    river: '#161e26',
    countryBorder: '#56626f',
    provinceBorder: '#333d48',
    sea: '#526b80',
    country: '#9ba8b5',
    province: '#6d7a87',
    city: '#c0c9d2',
    town: '#98a4b0',
  },
};
