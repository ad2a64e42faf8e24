// Whether the window is as narrow as a phone's, as in the style sheets.
import { useMediaQuery } from '@mantine/hooks';

/** `width`: the widest window that counts, in pixels. */
export const useIsPhone = (width: 640 | 860 = 640): boolean =>
  useMediaQuery(`(max-width: ${width}px)`, false, { getInitialValueInEffect: false });
