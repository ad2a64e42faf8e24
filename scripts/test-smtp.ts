// An SMTP server for tests, which takes every message and remembers it (RFC 5321, as much as a client needs).
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { TLSSocket } from 'node:tls';
import { LOCALHOST_TLS } from './test-certificate.ts';

export interface ReceivedEmail {
  from: string;
  to: string[];
  /** Header and body as they came. */
  text: string;
}

export interface TestSmtp {
  url: string;
  received: ReceivedEmail[];
  /** From now on recipients are refused. */
  refuse: () => void;
  close: () => Promise<void>;
}

const address = (line: string) => /<(.*)>/.exec(line)?.[1] ?? '';

/** With `startTls` it offers STARTTLS (RFC 3207), with a certificate that signs itself. */
export async function startTestSmtp({ startTls = false } = {}): Promise<TestSmtp> {
  const received: ReceivedEmail[] = [];
  const open = new Set<Socket>();
  let refuses = false;

  const serve = (socket: Socket) => {
    open.add(socket.on('error', () => {}).on('close', () => open.delete(socket)));
    const say = (line: string) => socket.write(`${line}\r\n`);
    let mail: ReceivedEmail = { from: '', to: [], text: '' };
    let lines: string[] | undefined;
    createInterface({ input: socket, crlfDelay: Infinity }).on('line', (line) => {
      if (lines && line !== '.') return void lines.push(line.replace(/^\./, ''));
      if (lines) {
        received.push({ ...mail, text: lines.join('\n') });
        lines = undefined;
        return say('250 taken');
      }
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === 'MAIL') mail = { from: address(line), to: [], text: '' };
      if (verb === 'RCPT' && refuses) return say('550 nobody of this name');
      if (verb === 'RCPT') mail.to.push(address(line));
      if (verb === 'DATA') {
        lines = [];
        return say('354 go on');
      }
      if (verb === 'EHLO' && startTls) return say('250-test\r\n250 STARTTLS');
      if (verb === 'STAR') {
        say('220 go on');
        // Nobody goes on behind such a certificate.
        const secure = new TLSSocket(socket, { ...LOCALHOST_TLS, isServer: true });
        return void secure.on('error', () => socket.destroy());
      }
      if (verb === 'QUIT') return socket.end('221 bye\r\n');
      return say('250 ok');
    });
    say('220 test');
  };

  const server = createServer(serve).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    refuse: () => void (refuses = true),
    close: async () => {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
