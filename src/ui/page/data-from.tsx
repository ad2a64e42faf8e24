// When the data on the screen was read, wherever that is not just now.
import { Time } from '#/ui/controls/time.tsx';

export const DataFrom = ({ at }: { at: Date | number }) => (
  <>
    Showing data from <Time at={at} />.
  </>
);
