// Light, dark, or as the system is set.
import { SegmentedControl, useMantineColorScheme } from '@mantine/core';
import { Section } from '#/ui/page.tsx';

const CHOICES = [
  { value: 'auto', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

export function Appearance() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Section title="Appearance" lead="Kept in this browser.">
      <div>
        <SegmentedControl
          aria-label="Appearance"
          data={CHOICES}
          value={colorScheme}
          onChange={(value) => setColorScheme(value === 'light' || value === 'dark' ? value : 'auto')}
        />
      </div>
    </Section>
  );
}
