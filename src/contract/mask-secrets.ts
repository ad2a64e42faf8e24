// Masks secrets in texts that are shown, copied or logged. Separate from the schemas, which load after the sign-in page.

/** Tokens, device keys, session values, codes of links and webhook secrets of this service. */
export const MADE_SECRET = /\b(mu[tscp]|mdk|whsec)_[\w-]{8,}/g;
/** Names of JSON fields and URL parameters whose values are secrets in any format. */
const SECRET_FIELD =
  /("(?:DeviceKey|Token|Secret|Password|Authorization|access_token|api_?key)"\s*:\s*")(?:[^"\\]|\\.)+/gi;
const SECRET_PARAMETER = /([?&#;](?:token|access_token|key|api_?key|secret|code)=)[^&\s"'<>#\\]+/gi;
const CREDENTIALS = /\b(Bearer|Basic) +(?=\S*\d)[\w.~+/-]{8,}=*/gi;
/** A shorter secret could be an ordinary word. */
const SHORTEST = 6;

const inUse = new Set<string>();

/** Makes `withoutSecrets` mask this text too, such as the token of another service, which has no known format. */
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
 * Masks the tokens of download links without changing their length, so that offsets into the output stay correct.
 */
export const withoutDownloadTokens = (text: string): string =>
  text.includes('/download/')
    ? text.replace(DOWNLOAD_TOKEN, (_, before: string, token: string) => before + '•'.repeat(token.length))
    : text;
