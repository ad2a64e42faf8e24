// What runs on devices must be there: the sh of this project uses the programs of a stock OpenWrt's BusyBox, in the ways that
// it knows, and others only where something else takes their place. Found by reading, because CI's machine has all of them.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { OPENWRT_APPLETS } from './openwrt.ts';
import { artifactCommand } from '../../server/jobs/artifact-command.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const FILES = ['muster-agent.sh', 'keys.sh', 'supervise.sh']
  .map((name) => `agent/sh/${name}`)
  .concat('server/api/install.sh', 'server/api/muster-agent.sh');

const artifact = {
  name: 'a',
  sha256: '0',
  sizeBytes: 1,
  unpackedBytes: 1,
  destination: '/a',
  runCommand: './a',
  folder: '',
};
const SCRIPTS = new Map([
  ...FILES.map((name): [string, string] => [name, readFileSync(path.join(ROOT, name), 'utf8')]),
  ...[true, false].map((isScript): [string, string] => [
    `the Command of ${isScript ? 'a script' : 'an archive'}`,
    artifactCommand({ ...artifact, isScript }, 'https://muster.example.com/a'),
  ]),
]);

/** Programs that OpenWrt's BusyBox lacks, and why the scripts may name them. */
const OTHERS: Record<string, string> = {
  curl: 'the client, or else wget; without both the installer says what to install',
  wget: 'the client, or else curl',
  setsid: 'where it is there; without it a job has no process group',
  shasum: 'in place of sha256sum',
  openssl: 'in place of sha256sum',
  busybox: 'in place of sha256sum',
  systemctl: 'where systemd is there',
  stty: 'so that a key that is typed does not show; without it, it does',
};

// Words of the shell itself, and what POSIX demands to be built in.
const WORDS = new Set(
  `if then elif else fi for in do done while until case esac ! { } : . break cd command continue eval exec exit export
  false getopts kill printf pwd read return set shift test trap true type ulimit umask unset wait [ echo`.split(/\s+/),
);
/** After them comes a command again. */
const BEFORE_COMMANDS = new Set(['if', 'then', 'elif', 'else', 'do', 'while', 'until', '!', '{', 'exec', 'env']);

/** The names of all commands in a script that are written as plain words. */
function commandsOf(script: string): string[] {
  const found: string[] = [];
  let at = 0;

  /** The text to the end of what began here: a string, an expansion; `at` is behind it. */
  const quoted = (): string => {
    const from = at;
    const open = script[at];
    at += 1;
    if (open === "'") at = script.indexOf("'", at) + 1;
    else if (open === '"') {
      while (script[at] !== '"')
        if (script[at] === '\\') at += 2;
        else if (script[at] === '$') quoted();
        else at += 1;
      at += 1;
    } else if (script.startsWith('((', at)) {
      let depth = 0;
      do depth += script[at] === '(' ? 1 : script[at] === ')' ? -1 : 0;
      while (++at < script.length && depth > 0);
    } else if (script[at] === '(') {
      at += 1;
      commands(')');
    } else if (script[at] === '{') {
      while (script[at] !== '}')
        if (script[at] === '\\') at += 2;
        else if (/["$]/.test(script[at] ?? '')) quoted();
        else at += 1;
      at += 1;
    }
    return script.slice(from, at);
  };

  /** Commands up to this character. */
  function commands(end: string): void {
    const cases: ('word' | 'pattern' | 'body')[] = [];
    let [isCommand, isTarget] = [true, false];
    let previous = '';
    let heredocs: string[] = [];
    while (at < script.length) {
      const char = script[at] ?? '';
      if (char === end && cases.at(-1) !== 'pattern') {
        at += 1;
        return;
      }
      if (char === '\n') {
        at += 1;
        for (const mark of heredocs) at = script.indexOf(`\n${mark}\n`, at - 1) + mark.length + 2;
        [heredocs, isCommand] = [[], cases.at(-1) !== 'pattern'];
      } else if (char === '\\') at += 2;
      else if (/\s/.test(char)) at += 1;
      else if (char === '#') at = (script.indexOf('\n', at) + 1 || script.length + 1) - 1;
      else if (script.startsWith('<<', at)) {
        const mark = /^<<'?(\w+)'?/.exec(script.slice(at, at + 40));
        heredocs.push(mark?.[1] ?? '');
        at += mark?.[0].length ?? 2;
      } else if (/[<>]/.test(char)) {
        at += script[at + 1] === '&' ? 2 : 1;
        isTarget = true;
      } else if (/[;&|()]/.test(char)) {
        if (char === '(') {
          at += 1;
          commands(')');
        } else {
          if (cases.at(-1) === 'pattern' && char === ')') cases[cases.length - 1] = 'body';
          else if (script.startsWith(';;', at)) cases[cases.length - 1] = 'pattern';
          at += script.startsWith(';;', at) ? 2 : 1;
        }
        isCommand = cases.at(-1) !== 'pattern';
      } else {
        let word = '';
        while (at < script.length && !/[\s;&|()<>]/.test(script[at] ?? ''))
          if (/['"$]/.test(script[at] ?? '')) word += `"${quoted().slice(1)}`;
          else if (script[at] === '\\') {
            word += script.slice(at, at + 2);
            at += 2;
          } else word += script[at++] ?? '';
        if (/^\d+$/.test(word) && /[<>]/.test(script[at] ?? '')) continue;
        if (isTarget) isTarget = false;
        else if (word === 'esac') [isCommand] = [false, cases.pop()];
        else if (word === 'in' && cases.at(-1) === 'word') [isCommand, cases[cases.length - 1]] = [false, 'pattern'];
        else if (isCommand && !/^(\w+=|-)/.test(word)) {
          if (word === 'case') cases.push('word');
          if (script.startsWith('()', at)) at += 2;
          else if (!/["/]|^\d/.test(word)) found.push(word); // no file, no number after `set --`
          isCommand = BEFORE_COMMANDS.has(word);
        } else if (previous === 'trap' && word.startsWith(`"`)) found.push(...commandsOf(word.slice(1, -1)));
        else if (previous === 'set' && word === '--') isCommand = true;
        previous = word;
      }
    }
  }

  commands('');
  return found;
}

const functionsOf = (script: string) => [...script.matchAll(/(?:^|\s)(\w+)\(\)/g)].map(([, name]) => name ?? '');

/** The programs in this script that no device need have. */
function missingIn(script: string): string[] {
  const known = new Set([...WORDS, ...OPENWRT_APPLETS, ...Object.keys(OTHERS), ...functions]);
  known.delete('[['); // there, and no sh of POSIX
  return [...new Set(commandsOf(script).filter((word) => !known.has(word)))];
}
const functions = [...SCRIPTS.values()].flatMap(functionsOf);

/** Uses of programs and of the shell that fail on OpenWrt, or on musl. */
const USES: [what: string, pattern: RegExp][] = [
  ['more than 255 repetitions in a regular expression', /[^$]\{(\d+,)?(25[6-9]|2[6-9]\d|[3-9]\d\d|\d{4,})(,\d*)?\\?\}/],
  ['classes of characters in tr', /\btr [^|;\n]*\[:/],
  ['fractions of a second without another way', /\bsleep \d*\.\d(?!\d* 2>\/dev\/null \|\| sleep \d)/],
  ['nanoseconds of date', /\bdate \+\S*%N/],
  ['a key of sort', /\bsort [^|;\n]*-[kt]/],
  ['another base in arithmetic', /\$\(\([^)]*\d#/],
  ['tests of two conditions, which POSIX leaves open', /\[ [^\]\n]* -[ao] [^\]\n]*\]/],
];

test('the programs that scripts on devices use are those of OpenWrt, or have something else in their place', () => {
  const missing = [...SCRIPTS].flatMap(([name, script]) => missingIn(script).map((word) => `${name}: ${word}`));
  assert.deepEqual(missing, []);
});

test('they use them in ways that BusyBox as in OpenWrt, and musl, know', () => {
  for (const [name, script] of SCRIPTS)
    for (const [what, pattern] of USES) assert.equal(pattern.exec(script)?.[0], undefined, `${name} has ${what}`);
});

test('each program that may be missing is named somewhere', () => {
  const used = new Set([...SCRIPTS.values()].flatMap(commandsOf));
  assert.deepEqual(
    Object.keys(OTHERS).filter((name) => !used.has(name)),
    [],
  );
});

test('what OpenWrt lacks is found wherever a command can be', () => {
  const lines = [
    'od -An -N2 /dev/urandom',
    'random=$(od -An -N2 /dev/urandom) || random=$$',
    'cat | { od; } >file',
    'if ! od <file; then :; fi',
    'case $a in b | od) od ;; esac',
    'echo "$(od)"',
    "trap 'kill $child; od' TERM",
    'set -- od "$@"',
    'cat <<END\nod\nEND\nod',
  ];
  for (const line of lines) assert.deepEqual(missingIn(line), ['od'], line);
  for (const line of [
    'echo od # od',
    "sed 's/;od//'",
    'case od in od | x) ;; esac',
    'cat <<END\nod\nEND\n',
    'set -- 0',
  ])
    assert.deepEqual(missingIn(line), [], line);
});

test('uses that fail there are found', () => {
  const bad = [
    `sed 's/^\\(.\\{512\\}\\).*/\\1/'`,
    'grep -E "x{2,300}"',
    `tr '[:upper:]' '[:lower:]'`,
    'sleep 0.2',
    'date +%s%N',
    'sort -k 2',
    '$((10#$x))',
    '[ a -a b ]',
  ];
  for (const line of bad)
    assert.ok(
      USES.some(([, pattern]) => pattern.test(` ${line}`)),
      line,
    );
  for (const line of ['x{1,255}', '${5120}', 'sleep 0.2 2>/dev/null || sleep 1', "tr 'A-Z' 'a-z'"])
    assert.ok(!USES.some(([, pattern]) => pattern.test(` ${line}`)), line);
});
