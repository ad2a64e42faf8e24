// What would go wrong with a script on a Unix device, seen from its first bytes: no interpreter line, the line ends of
// Windows, a byte order mark, or not being a script at all.
import { shellWord } from './finding.ts';
import type { Finding } from './finding.ts';

/** How much of a script is looked at. */
export const SCRIPT_HEAD = 64 * 1024;

const startsWith = (bytes: Uint8Array, ...magic: number[]) => magic.every((byte, index) => bytes[index] === byte);

export const isGzip = (bytes: Uint8Array): boolean => startsWith(bytes, 0x1f, 0x8b);
const isElf = (bytes: Uint8Array) => startsWith(bytes, 0x7f, 0x45, 0x4c, 0x46);
const hasByteOrderMark = (bytes: Uint8Array) => startsWith(bytes, 0xef, 0xbb, 0xbf);

const ARCHIVES: [kind: string, magic: number[]][] = [
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ['bzip2', [0x42, 0x5a, 0x68]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['7z', [0x37, 0x7a, 0xbc, 0xaf]],
];
/** Which other kind of archive these bytes begin, if any. */
export const otherArchive = (bytes: Uint8Array): string | undefined =>
  ARCHIVES.find(([, magic]) => startsWith(bytes, ...magic))?.[0];

/** e_machine of the ELF header, as `uname -m` calls it. */
const MACHINES: Record<number, string> = {
  3: 'i686',
  8: 'mips',
  0x28: 'arm',
  0x3e: 'x86_64',
  0xb7: 'aarch64',
  0xf3: 'riscv',
};

function elfFinding(name: string, bytes: Uint8Array): Finding {
  const machine = (bytes[5] === 2 ? [bytes[18], bytes[19]] : [bytes[19], bytes[18]]) as [number, number];
  const word = MACHINES[machine[0] * 256 + machine[1]];
  return { level: 'ok', text: `${name} is a compiled program${word ? ` for ${word}` : ''}` };
}

/** Findings about a script that a shell or its interpreter line runs. `bytes`: its beginning. */
export function checkScript(name: string, bytes: Uint8Array): Finding[] {
  if (isElf(bytes)) return [elfFinding(name, bytes)];
  if (bytes.length === 0) return [{ level: 'warning', text: `${name} is empty, so it does nothing` }];
  if (bytes.includes(0))
    return [
      {
        level: 'warning',
        text: `${name} holds binary data`,
        mend: 'Check that it is the right file: a script is text.',
      },
    ];
  const findings: Finding[] = [];
  const text = new TextDecoder().decode(bytes);
  if (hasByteOrderMark(bytes))
    findings.push({
      level: 'warning',
      text: `${name} begins with a byte order mark, which hides its first line from the system`,
      mend: 'Save it as UTF-8 without BOM.',
    });
  const interpreter = /^#! *([^\r\n]+)/.exec(text)?.[1]?.trim();
  if (!interpreter)
    findings.push({
      level: 'warning',
      text: `${name} has no interpreter line`,
      mend: 'Make #!/bin/sh (or the interpreter it is for) its first line.',
    });
  if (text.includes('\r\n'))
    findings.push({
      level: 'warning',
      text: `${name} has Windows line ends (CRLF), which a Unix shell takes as part of each command`,
      mend: `Save it with LF line ends, or run: sed -i 's/\\r$//' ${shellWord(name)}`,
    });
  return findings.length > 0 ? findings : [{ level: 'ok', text: `${name} runs with ${interpreter}` }];
}
