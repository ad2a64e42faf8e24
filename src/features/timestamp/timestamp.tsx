// A date as the service sends it, shown as a time; a text that is no date is shown as it is.
import { parseTimestamp } from '#/contract/timestamps.ts';
import { Time } from '#/ui/controls/time.tsx';

export const Timestamp = ({ text = '' }: { text: string | undefined }) => <Time at={parseTimestamp(text)} raw={text} />;
