// The responses of the HTTP front itself: plain pages that reveal nothing about the service behind the tunnel.
const PAGES = {
  'bad-request': [400, 'Bad request', 'The address of a tunnel is needed here, once and unambiguously.'],
  login: [401, 'Login needed', 'This tunnel asks for a user and a password.'],
  'too-many-logins': [429, 'Too many tries', 'Try again in a minute.'],
  'too-slow': [408, 'Too slow', 'The request did not come in time.'],
  'too-large-head': [431, 'Too large', 'The head of the request, cookies included, is too large.'],
  'no-tunnel': [404, 'No such tunnel', 'It was closed, or the address is not complete.'],
  'device-away': [502, 'The device is away', 'It is not connected at the moment. Try again later.'],
  'service-away': [502, 'The device does not answer', 'It is connected, but its local service is not there.'],
  unavailable: [503, 'Not available', 'The service cannot look up this address at the moment. Try again in a minute.'],
  'bad-answer': [502, 'The device does not answer', 'Its local service broke off, or does not speak HTTP.'],
} as const;
export type PageName = keyof typeof PAGES;

export interface PlainPage {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export function plainPage(name: PageName): PlainPage {
  const [status, title, text] = PAGES[name];
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>\n`;
  return {
    status,
    body,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(body)),
      'Content-Security-Policy': "default-src 'none'",
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'no-store',
      ...(name === 'too-many-logins' && { 'Retry-After': '60' }),
      ...(name === 'login' && { 'WWW-Authenticate': 'Basic realm="tunnel", charset="UTF-8"' }),
    },
  };
}
