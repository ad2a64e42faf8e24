// The Command of an artifact holds a token that downloads it. On the screen the token is dots; copying takes it along.

/** Shown for a secret. Its length reveals nothing about the secret's. */
const DOTS = '••••••••';

const NAMES =
  '(?:access_?|download_?|auth_?)?token|auth|key|api_?key|sig(?:nature)?|secret|password|x-amz-signature|x-amz-credential';
const BEARER = /\b((?:bearer|basic)\s+)[^\s'"`\\]+/gi;
const PARAMETER = new RegExp(`([?&](?:${NAMES})=)[^&\\s'"\`#\\\\]+`, 'gi');
const ASSIGNED = new RegExp(`\\b((?:${NAMES}|[a-z_]*_token)\\s*[=:]\\s*['"]?)[^\\s'"\`&;\\\\]+`, 'gi');
/** A long word without a meaning, as tokens in the path of an address are. */
const OPAQUE = /[A-Za-z0-9_~-]{24,}/g;

const looksRandom = (word: string) => /\d/.test(word) && /[A-Za-z]/.test(word) && !/[-_]{2}|^-/.test(word);

/** The command with what looks like a secret hidden. `known`: texts in it that are no secret, as its name, id and sum. */
export function maskToken(command: string, known: readonly (string | undefined)[] = []): string {
  return command
    .replace(BEARER, `$1${DOTS}`)
    .replace(PARAMETER, `$1${DOTS}`)
    .replace(ASSIGNED, (whole, name: string) => (whole.endsWith(DOTS) ? whole : name + DOTS))
    .replace(OPAQUE, (word) => (known.some((text) => text?.includes(word)) || !looksRandom(word) ? word : DOTS));
}
