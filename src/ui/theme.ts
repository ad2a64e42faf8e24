// Mantine's theme, and its CSS variables that differ from the default.
import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

const dark: MantineColorsTuple = [
  '#e3e8ee',
  '#c4ccd6',
  '#a0adba',
  '#6b7785',
  '#3d4855',
  '#2f3945',
  '#222b35',
  '#151b22',
  '#10151b',
  '#0b0f14',
];

export const theme = createTheme({
  primaryColor: 'indigo',
  primaryShade: 8,
  colors: { dark },
  black: '#1c2430',
  defaultRadius: 'md',
  cursorType: 'pointer',
  autoContrast: true,
  fontFamily: "'Inter Variable', system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif",
  fontFamilyMonospace: "'JetBrains Mono Variable', ui-monospace, SFMono-Regular, Menlo, Consolas, monospace",
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  lineHeights: { xs: '1.4', sm: '1.45', md: '1.5', lg: '1.5', xl: '1.5' },
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.25rem' }, h2: { fontSize: '1.0625rem' }, h3: { fontSize: '0.9375rem' } },
  },
  respectReducedMotion: true,
  components: {
    // Only the submit button of a form is filled.
    Button: { defaultProps: { variant: 'default' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close' } } },
    // Otherwise a dialog's <header> would be a second banner beside the top bar on phones.
    Modal: { defaultProps: { attributes: { header: { role: 'none' } } } },
  },
});

/** Mantine's default colours for these miss WCAG AA on our backgrounds. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': '#566273',
    '--mantine-color-placeholder': '#66717f',
    '--mantine-color-anchor': '#3b5bdb',
    '--mantine-color-error': '#c92a2a',
  },
  dark: {
    '--mantine-color-dimmed': '#a0adba',
    '--mantine-color-placeholder': '#8c99a6',
    '--mantine-color-anchor': '#91a7ff',
    '--mantine-color-error': '#ff8787',
  },
});
