// The Command of an artifact contains its download token. The screen shows dots instead; copying includes the token.

/** Shown instead of a secret, whatever the length of that. */
const DOTS = '••••••••';

const NAMES =
  '(?:access_?|download_?|auth_?)?token|auth|key|api_?key|sig(?:nature)?|secret|password|x-amz-signature|x-amz-credential';
const BEARER = /\b((?:bearer|basic)\s+)[^\s'"`\\]+/gi;
const PARAMETER = new RegExp(`([?&](?:${NAMES})=)[^&\\s'"\`#\\\\]+`, 'gi');
const ASSIGNED = new RegExp(`\\b((?:${NAMES}|[a-z_]*_token)\\s*[=:]\\s*['"]?)[^\\s'"\`&;\\\\]+`, 'gi');
/** A long word without meaning, like a token in the path of a URL. */
const OPAQUE = /[A-Za-z0-9_~-]{24,}/g;

const looksRandom = (word: string) => /\d/.test(word) && /[A-Za-z]/.test(word) && !/[-_]{2}|^-/.test(word);

/** Masks what looks like a secret. `known`: texts that are not secret, such as the artifact's name, id and checksum. */
export function maskToken(command: string, known: readonly (string | undefined)[] = []): string {
  return command
    .replace(BEARER, `$1${DOTS}`)
    .replace(PARAMETER, `$1${DOTS}`)
    .replace(ASSIGNED, (whole, name: string) => (whole.endsWith(DOTS) ? whole : name + DOTS))
    .replace(OPAQUE, (word) => (known.some((text) => text?.includes(word)) || !looksRandom(word) ? word : DOTS));
}
