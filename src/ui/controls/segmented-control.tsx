// One of a few choices, all of them in view. Mantine's control, with its style sheets.
import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/SegmentedControl.css';
import { SegmentedControl as MantineControl, type SegmentedControlProps as MantineProps } from '@mantine/core';
import classes from './segmented-control.module.css';

interface SegmentedControlProps<Value extends string> extends Omit<MantineProps<Value>, 'data' | 'classNames'> {
  data: readonly MantineProps<Value>['data'][number][];
}

export const SegmentedControl = <Value extends string>({ data, ...control }: SegmentedControlProps<Value>) => (
  <MantineControl
    {...control}
    data={[...data]}
    classNames={{
      root: classes.root,
      control: classes.control,
      label: classes.label,
      indicator: classes.indicator,
    }}
  />
);
