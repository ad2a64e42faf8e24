// Shares of a whole, in the reader's own notation.

const all = new Intl.NumberFormat(undefined, { style: 'percent' });
const share = new Intl.NumberFormat(undefined, { style: 'percent', minimumFractionDigits: 2 });

/** "0%", "58.20%", "100%": rounded down, since only all of it is 100%. */
export const formatShare = (part: number): string =>
  part === 0 || part === 1 ? all.format(part) : share.format(Math.floor(part * 10_000) / 10_000);
