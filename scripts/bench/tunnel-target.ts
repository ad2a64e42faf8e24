// The service behind the measured tunnels, in a process of its own: a server on plain sockets that answers each request
// with a few bytes, or with very many. Node's own HTTP server would be the slowest part of the measurement.
import { createServer, type AddressInfo } from 'node:net';

const SMALL = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 128\r\n\r\n${'x'.repeat(128)}`,
);
const PIECE = Buffer.alloc(256 * 1024, 'muster');

const server = createServer({ noDelay: true }, (socket) => {
  let text = '';
  socket.on('error', () => {});
  socket.on('data', (part) => {
    text += part.toString('latin1');
    for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
      const bytes = Number(/^GET \/(\d+) /.exec(text)?.[1] ?? 0);
      text = text.slice(end + 4);
      if (bytes === 0) {
        socket.write(SMALL);
        continue;
      }
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${bytes}\r\n\r\n`);
      let left = bytes;
      const more = () => {
        while (left > 0) {
          const piece = left < PIECE.length ? PIECE.subarray(0, left) : PIECE;
          left -= piece.length;
          if (!socket.write(piece)) return void socket.once('drain', more);
        }
      };
      more();
    }
  });
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
