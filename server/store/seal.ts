// Encrypts what only the holder of a secret may read: the key is derived from the secret, of which the database has
// only the hash.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

export interface Seal {
  /** @param about is authenticated with the text: what was sealed for one object cannot be opened for another */
  seal: (secret: string, about: string, text: string) => Buffer;
  /** Undefined if the secret or the object is another one, or if the bytes were changed. */
  open: (secret: string, about: string, sealed: Uint8Array) => string | undefined;
}

/** `purpose` gives each use of a secret its own keys. */
export function openSeal(purpose: string): Seal {
  const keyOf = (secret: string) => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
  return {
    seal: (secret, about, text) => {
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', keyOf(secret), iv).setAAD(Buffer.from(about));
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]);
    },
    open: (secret, about, sealed) => {
      try {
        const decipher = createDecipheriv('aes-256-gcm', keyOf(secret), sealed.subarray(0, 12))
          .setAAD(Buffer.from(about))
          .setAuthTag(sealed.subarray(12, 28));
        return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
