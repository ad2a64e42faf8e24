// Findings of the browser about a file before it is uploaded.

/** `error` refuses the upload, `warning` only informs, and `ok` is a passed check. */
export interface Finding {
  level: 'ok' | 'warning' | 'error';
  text: string;
  fix?: string;
  /** Id of the artifact that it is about. */
  artifact?: string;
}

const RANK = { error: 0, warning: 1, ok: 2 };
export const byWeight = (findings: readonly Finding[]): Finding[] =>
  [...findings].sort((a, b) => RANK[a.level] - RANK[b.level]);

export const refuses = (findings: readonly Finding[]): boolean => findings.some(({ level }) => level === 'error');

/** A name as one word of a POSIX shell, for the commands that are suggested. */
export const shellPath = (name: string): string =>
  /^[\w.][\w./-]*$/.test(name)
    ? name
    : `'${(name.startsWith('-') ? './' : '') + name.replaceAll("'", String.raw`'\''`)}'`;
