// Groups failures in a worker, so that the page stays responsive.
import { serve } from '#/lib/worker-client.ts';
import { openGrouping } from './failure-grouping.ts';

serve(openGrouping());
