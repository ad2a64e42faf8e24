// Sends e-mail, alerts and links to people, over the SMTP server of SMTP_URL. Its library is loaded by the first message.
import type { AlertMessage } from '#/contract/alerts.ts';
import { faultText, type Sent } from './attempt.ts';
import { inLine } from './words.ts';

export interface EmailSettings {
  url: string;
  from: string;
}

const TIMEOUT_MS = 10_000;
const MOST_SUBJECT = 200;

/** One line: a line break in a header would begin another header. */
const inHeader = (text: string) => inLine(text).slice(0, MOST_SUBJECT).toWellFormed();

export interface Mail {
  subject: string;
  text: string;
  messageId?: string;
  headers?: Record<string, string>;
}

/** Sends an alert once. Never throws. */
export const sendEmail = (
  settings: EmailSettings,
  to: readonly string[],
  message: AlertMessage,
  signal: AbortSignal,
): Promise<Sent> =>
  sendMail(
    settings,
    to,
    {
      subject: `[Muster] ${message.Rule}: ${message.Text.split('\n')[0] ?? ''}`,
      text: `${message.Text}\n\nRule: ${message.Rule}\n`,
      // The same on each repeat, by which a mail program can tell one.
      messageId: `<${message.Id}@muster.alerts>`,
      headers: { 'X-Muster-Event': message.Event },
    },
    signal,
  );

/** Sends once. Never throws. */
export async function sendMail(
  { url, from }: EmailSettings,
  to: readonly string[],
  { subject, headers, ...mail }: Mail,
  signal: AbortSignal,
): Promise<Sent> {
  try {
    const { createTransport } = await import('nodemailer');
    const transport = createTransport(
      {
        url,
        connectionTimeout: TIMEOUT_MS,
        greetingTimeout: TIMEOUT_MS,
        socketTimeout: TIMEOUT_MS,
        dnsTimeout: TIMEOUT_MS,
        disableFileAccess: true,
        disableUrlAccess: true,
      },
      { from },
    );
    try {
      const { rejected } = await transport.sendMail({
        signal,
        to: [...to],
        ...mail,
        subject: inHeader(subject),
        headers: { 'Auto-Submitted': 'auto-generated', ...headers },
      });
      // A repeat would reach the others twice.
      const because = rejected.length === 0 ? '' : `${rejected.length} of ${to.length} addresses were refused`;
      return { delivered: true, because };
    } finally {
      transport.close();
    }
  } catch (cause) {
    return { delivered: false, because: faultText(cause) };
  }
}
