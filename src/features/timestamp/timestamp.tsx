// A date as the service sends it, shown as a time; a text that is no date is shown as it is.
import { parseTimestamp } from '#/contract/timestamps.ts';
import { Time } from '#/ui/controls/time.tsx';

/** `ahead`: it may be still to come. */
export const Timestamp = ({ text = '', ahead = false }: { text: string | undefined; ahead?: boolean }) => (
  <Time at={parseTimestamp(text)} raw={text} ahead={ahead} />
);
