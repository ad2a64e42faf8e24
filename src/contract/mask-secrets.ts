// Takes secrets out of texts that are shown, copied or logged. Without the schemas, because the sign-in needs it before
// they are loaded.

/** Tokens, device keys, session values, sign-in codes and webhook secrets, as this service makes them. */
export const MADE_SECRET = /\b(mu[tsc]|mdk|whsec)_[\w-]{8,}/g;
/** A field whose value is a secret, whatever its form: in JSON, and as a parameter of a URL. */
const SECRET_FIELD =
  /("(?:DeviceKey|Token|Secret|Password|Authorization|access_token|api_?key)"\s*:\s*")(?:[^"\\]|\\.)+/gi;
const SECRET_PARAMETER = /([?&#;](?:token|access_token|key|api_?key|secret|code)=)[^&\s"'<>#\\]+/gi;
const CREDENTIALS = /\b(Bearer|Basic) +(?=\S*\d)[\w.~+/-]{8,}=*/gi;
/** A shorter one could be any word. */
const SHORTEST = 6;

const inUse = new Set<string>();

/** From now on `withoutSecrets` finds this text, too: a token of another service has no form of its own. */
export function hideSecret(secret: string): void {
  if (secret.length >= SHORTEST) inUse.add(secret);
}

export function withoutSecrets(text: string): string {
  let masked = text;
  for (const secret of inUse) masked = masked.replaceAll(secret, '…');
  return masked
    .replace(MADE_SECRET, '$1_…')
    .replace(SECRET_FIELD, '$1…')
    .replace(SECRET_PARAMETER, '$1…')
    .replace(CREDENTIALS, '$1 …');
}

const DOWNLOAD_TOKEN = /(\/download\/[^\s"'<>]*?[?&]token=)([\w.~%•-]+)/g;

/**
 * The text with the tokens of download links covered, each character by one: what counts characters of the output
 * remains right.
 */
export const withoutDownloadTokens = (text: string): string =>
  text.includes('/download/')
    ? text.replace(DOWNLOAD_TOKEN, (_, before: string, token: string) => before + '•'.repeat(token.length))
    : text;
