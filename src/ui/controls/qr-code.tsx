// Text as a QR code, drawn as one path: a bar for each run of dark modules in a line.
import { encode } from 'uqr';

export function QrCode({ text, className }: { text: string; className: string | undefined }) {
  // Choosing the best of the eight masks takes twenty times as long, and readers need none in particular.
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
