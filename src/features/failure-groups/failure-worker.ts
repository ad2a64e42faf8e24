// Groups failures away from the page, which never stops for it.
import { serve } from '#/lib/worker-client.ts';
import { openGrouping } from './failure-grouping.ts';

serve(openGrouping());
