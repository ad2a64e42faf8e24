// Deploys, and other things that happen to a fleet, as marks on a chart over time.
import type { ChartMark } from '#/ui/chart/chart.tsx';
import type { Span } from '#/ui/chart/chart-data.ts';

/** Marks that are closer than this share of the axis would cover each other; on a phone, for a finger. */
const MARK_WIDTH = { wide: 0.03, phone: 0.14 };

export interface Deploy {
  at: number;
  name: string;
  to: string;
}

const DEPLOYS = { one: 'Deploy of', many: 'deploys' };

interface MarkOptions {
  /** Where a mark for several leads. */
  all: string;
  Icon: NonNullable<ChartMark['Icon']>;
  isPhone: boolean;
  what?: typeof DEPLOYS;
}

/** Deploys of the span as marks; those that would cover each other are one. */
export function deployMarks(
  deploys: readonly Deploy[],
  { from, to }: Span,
  { all, Icon, isPhone, what = DEPLOYS }: MarkOptions,
): ChartMark[] {
  const width = (to - from) * MARK_WIDTH[isPhone ? 'phone' : 'wide'];
  const groups: Deploy[][] = [];
  for (const deploy of deploys.filter(({ at }) => at >= from && at <= to).toSorted((one, two) => one.at - two.at)) {
    const first = groups.at(-1)?.[0];
    if (first && deploy.at - first.at < width) groups.at(-1)!.push(deploy);
    else groups.push([deploy]);
  }
  return groups.flatMap((group) => {
    const [first] = group;
    if (!first) return [];
    const names = [...new Set(group.map(({ name }) => name))];
    const some = names.slice(0, 4).join(', ') + (names.length > 4 ? ' …' : '');
    return {
      at: first.at,
      label: names.length === 1 ? `${what.one} ${some}` : `${names.length} ${what.many}: ${some}`,
      to: names.length === 1 ? first.to : all,
      Icon,
    };
  });
}
