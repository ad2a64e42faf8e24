// Shares of a whole, in the reader's own notation.

const share = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 2 });

/** "99.98%": rounded down, since only all of it is 100%. */
export const formatShare = (part: number): string => share.format(Math.floor(part * 10_000) / 10_000);
