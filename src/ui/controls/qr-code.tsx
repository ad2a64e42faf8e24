// Text as a QR code, drawn as one path with a bar for each run of dark modules.
import { encode } from 'uqr';

export function QrCode({ text, className }: { text: string; className: string | undefined }) {
  // A fixed mask: choosing the best of the eight takes twenty times as long, and scanners read all of them.
  const { size, data } = encode(text, { ecc: 'M', border: 2, maskPattern: 3, boostEcc: false });
  let path = '';
  data.forEach((line, y) => {
    for (let x = 0; x < size; x++) {
      if (!line[x]) continue;
      const from = x;
      while (line[x + 1]) x++;
      path += `M${from} ${y}h${x - from + 1}v1h-${x - from + 1}z`;
    }
  });
  return (
    <svg viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges" className={className} aria-hidden>
      <path d={path} />
    </svg>
  );
}
