// Problems that a script would have on a Unix device, found in its first bytes: Windows line endings, a byte order mark,
// an unusable interpreter line, or not being a script at all.
import { formatCount } from '#/lib/format.ts';
import { shellPath, type Finding } from './finding.ts';

/** The bytes of a script that are checked. */
export const SCRIPT_HEAD = 64 * 1024;

const startsWith = (bytes: Uint8Array, ...magic: number[]) => magic.every((byte, index) => bytes[index] === byte);

export const isGzip = (bytes: Uint8Array): boolean => startsWith(bytes, 0x1f, 0x8b);
const isElf = (bytes: Uint8Array) => startsWith(bytes, 0x7f, 0x45, 0x4c, 0x46);
const hasByteOrderMark = (bytes: Uint8Array) => startsWith(bytes, 0xef, 0xbb, 0xbf);
const isUtf16 = (bytes: Uint8Array) => startsWith(bytes, 0xff, 0xfe) || startsWith(bytes, 0xfe, 0xff);

const ARCHIVES: [kind: string, magic: number[]][] = [
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a]],
  ['bzip2', [0x42, 0x5a, 0x68]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['7z', [0x37, 0x7a, 0xbc, 0xaf]],
];
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

/** The shells of POSIX kind, by the last part of an interpreter's path. */
const SHELL = /^(?:(?:a|ba|da|k|z|mk)?sh|busybox)$/;
/** Syntax of bash that the /bin/sh of many small devices does not support. */
const BASH_ONLY: [what: string, pattern: RegExp][] = [
  ['[[ … ]]', /^\s*(?:if|while|until|elif|!|&&|\|\|)?\s*\[\[\s/m],
  ['arrays', /^\s*(?:declare\s+-[aA]\s|[A-Za-z_]\w*=\()/m],
  ['function …', /^\s*function\s+\w+/m],
  ['<(…)', /[\s;]<\(/],
  ['<<<', /<<<\s*["'$\w]/],
  ['pipefail', /^\s*set\s.*\bpipefail\b/m],
  ['source', /^\s*source\s+\S/m],
];

/** `program`: what runs in the end, the last part of the path or what env is asked for. */
function interpreterOf(line: string): { path: string; argument: string; program: string } {
  const [path = '', ...rest] = line.split(/[ \t]+/);
  const argument = rest.join(' ');
  const named = /(?:^|\/)env$/.test(path) ? (rest.find((word) => !/^-|=/.test(word)) ?? '') : path;
  return { path, argument, program: named.split('/').at(-1) ?? '' };
}

const addTo = (findings: Finding[], name: string) => (level: Finding['level'], what: string, fix: string) =>
  findings.push({ level, text: `${name} ${what}`, fix });

/** Systems pass everything behind the interpreter as a single argument (execve(2) of Linux). */
function interpreterFindings(name: string, line: string, text: string): Finding[] {
  const { path, argument, program } = interpreterOf(line);
  const findings: Finding[] = [];
  const add = addTo(findings, name);
  if (!path.startsWith('/'))
    add(
      'error',
      `names ${path}, but an interpreter line needs a whole path`,
      program === 'bash' || program === 'sh' ? `Write #!/bin/${program}` : `Write #!/usr/bin/env ${program}`,
    );
  else if (/(?:^|\/)env$/.test(path) && argument.includes(' ') && !/^-\S*S/.test(argument))
    add(
      'error',
      `asks env for “${argument}”, which Linux takes for the name of one program`,
      `Write #!/usr/bin/env ${program}, and set options inside the script.`,
    );
  else if (SHELL.test(program) && !path.endsWith('env') && /^-\S+\s+-/.test(argument))
    add(
      'error',
      `gives ${program} “${argument}”, which Linux passes as a single argument`,
      `Write them together, or as a line of their own: set ${argument}`,
    );
  else if (line.length > 125)
    add(
      'warning',
      `has an interpreter line of ${formatCount(line.length)} characters, more than some systems read`,
      'Keep it below 125.',
    );
  const bashOnly = ['sh', 'dash', 'ash'].includes(program)
    ? BASH_ONLY.find(([, pattern]) => pattern.test(text))
    : undefined;
  if (bashOnly)
    add(
      'warning',
      `runs with ${program} but uses ${bashOnly[0]}, which only bash is sure to know`,
      'Make #!/bin/bash its first line where devices have bash, or write it without.',
    );
  const meant = { py: 'python', rb: 'ruby', pl: 'perl', js: 'node', mjs: 'node', sh: 'sh' }[
    name.split('.').at(-1) ?? ''
  ];
  if (meant && !(meant === 'sh' ? SHELL.test(program) : program.startsWith(meant)))
    add(
      'warning',
      `is called a ${meant === 'sh' ? 'shell' : meant} script but runs with ${program}`,
      'Check that it is the right file.',
    );
  return findings;
}

/**
 * Findings about a script. `bytes`: its beginning. `as`: an update.sh is started by devices as it is; another script by
 * the command that a person writes, which may know what to do with it.
 */
export function checkScript(name: string, bytes: Uint8Array, as: 'update' | 'script' = 'script'): Finding[] {
  const error = as === 'update' ? 'error' : 'warning';
  if (isElf(bytes)) return [elfFinding(name, bytes)];
  if (bytes.length === 0)
    return [{ level: error, text: `${name} is empty, so it does nothing`, fix: 'Save it, then pack again.' }];
  if (isUtf16(bytes))
    return [
      { level: error, text: `${name} is saved as UTF-16, which no shell reads`, fix: 'Save it as UTF-8 without BOM.' },
    ];
  if (bytes.includes(0))
    return [
      {
        level: error,
        text: startsWith(bytes, 0x4d, 0x5a) ? `${name} is a program for Windows` : `${name} contains binary data`,
        fix: 'Check that it is the right file: a script is text.',
      },
    ];
  const findings: Finding[] = [];
  const add = addTo(findings, name);
  const text = new TextDecoder().decode(bytes);
  const line = /^#![ \t]*([^\r\n]*)/.exec(text)?.[1]?.trim() ?? '';
  const { program } = interpreterOf(line);
  const forShell = line === '' ? as === 'update' || name.endsWith('.sh') : SHELL.test(program);
  if (hasByteOrderMark(bytes))
    add(
      error,
      `begins with a byte order mark, which hides its first line from the system`,
      'Save it as UTF-8 without BOM.',
    );
  if (line !== '') findings.push(...interpreterFindings(name, line, text));
  else if (/^#!/m.test(text) && /^\s*#!/.test(text.slice(0, 4096)))
    add('warning', `has its interpreter line further down, where it is only a comment`, 'Make it the very first line.');
  else add('warning', `has no interpreter line`, 'Make #!/bin/sh (or the interpreter it is for) its first line.');
  const spoiled = /^#![^\n]*\r\n/.test(text) || (forShell && text.includes('\r\n'));
  if (spoiled || text.includes('\r\n'))
    // Some interpreters read such lines; no shell does, and no system finds one whose name ends in a carriage return.
    add(
      spoiled ? 'error' : 'warning',
      `has Windows line ends (CRLF), which a Unix shell takes as part of each command`,
      `Save it with LF line ends, or run: sed -i 's/\\r$//' ${shellPath(name)}`,
    );
  return findings.length > 0 ? findings : [{ level: 'ok', text: `${name} runs with ${line}` }];
}
