// Reads where alerts may go, and how e-mail is sent: ALERT_PRIVATE_TARGETS, SMTP_URL and SMTP_FROM.
import { ConfigError } from './config-error.ts';

export interface AlertConfig {
  /** Whether webhooks may lead to private addresses. */
  allowPrivate: boolean;
  /** Undefined: no e-mail is sent. */
  email: { url: string; from: string } | undefined;
}

/** @param value a setting, or undefined where it is empty */
export function readAlertConfig(value: (name: string) => string | undefined): AlertConfig {
  return {
    allowPrivate: readSwitch('ALERT_PRIVATE_TARGETS', value('ALERT_PRIVATE_TARGETS')),
    email: readSmtp(value('SMTP_URL'), value('SMTP_FROM')),
  };
}

function readSwitch(name: string, text: string | undefined): boolean {
  if (text !== undefined && text !== '0' && text !== '1')
    throw new ConfigError(`${name} is "${text}", but it must be 1 or 0.`);
  return text === '1';
}

/** The errors do not repeat SMTP_URL, which may hold a password. */
function readSmtp(url: string | undefined, from: string | undefined): AlertConfig['email'] {
  if (url === undefined) {
    if (from !== undefined)
      throw new ConfigError('SMTP_FROM is set, but SMTP_URL is not: it names the server that sends e-mail.');
    return undefined;
  }
  const parsed = URL.parse(url);
  if (!parsed || !/^smtps?:$/.test(parsed.protocol) || !parsed.hostname)
    throw new ConfigError(
      'SMTP_URL is not the address of an SMTP server: it looks like smtps://user:password@mail.example.com:465 or smtp://mail.example.com:587.',
    );
  if (from === undefined)
    throw new ConfigError('SMTP_URL is set, but SMTP_FROM is not: it is the sender, like muster@example.com.');
  if (!/^[^\s@<>]+@[^\s@<>]+$/.test(from))
    throw new ConfigError(`SMTP_FROM is "${from}", but it must be an e-mail address like muster@example.com.`);
  return { url, from };
}
