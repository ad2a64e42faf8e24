// The selected part of a picture in a URL.
import type { Span } from '#/ui/chart/chart-data.ts';
import type { UrlPart } from '#/ui/url/url-schema.ts';

/** "from-to", in milliseconds. */
export const spanPart: UrlPart<Span | undefined> = {
  read: (params, name) => {
    const [, from, to] = /^(\d{1,15})-(\d{1,15})$/.exec(params.get(name) ?? '') ?? [];
    const span = { from: Number(from), to: Number(to) };
    return span.from < span.to ? span : undefined;
  },
  write: (params, name, span) => {
    if (span) params.set(name, `${span.from}-${span.to}`);
    else params.delete(name);
  },
};
